"""The game log: runs, games, matches, ratings and evaluations in SQL, so that they outlive the process that made them.

tables.py        what is stored
database.py      a URL becomes a database: SQLite with several writers, PostgreSQL; what is wrong with one as a sentence
schema.py        versions of the tables; migrations/ changes an old database into a new one, whenever one is opened
entries.py       rows with ids, so that writing them twice is the same as writing them once
spool.py         rows that could not be written yet, durable on disk
log.py           writes rows beside the work, and never stops it
listeners.py     games between players become rows
run_log.py       a training run becomes rows
rating_log.py    ratings, and the games that were played for them, become rows
queries.py       lists and filters
game_files.py    games as text, JSON lines, Parquet and the formats of their worlds
checking.py      games from outside are played through
importing.py     games from files, into the database
places.py        where things are kept when nobody says otherwise
"""
