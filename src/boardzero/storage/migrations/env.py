"""What Alembic runs: the migrations, within the transaction of the connection that `schema.py` gives it."""

from alembic import context

from boardzero.storage.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
