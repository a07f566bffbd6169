"""The durable memory of self-play. From the lowest to the highest:

record      one finished game: moves, results and what the searches found
columns     many games as flat arrays, and as the table that files hold
durable     files that are complete or absent
journal     finished games, appended to a file and on disk within seconds
shards      immutable Parquet files of many games, sealed from journals
store       the folder of journals and shards
window      which of the games are learned from
replaying   recorded games played again, for their states
positions   the positions of the window in memory
merging     equal positions made one
sampler     batches of positions, turned and mirrored
replay      all of it together: games in, batches out
"""
