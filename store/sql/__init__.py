"""The store on SQL: SQLAlchemy Core writes the statements once, the drivers run them."""
