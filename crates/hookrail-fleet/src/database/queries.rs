//! Questions to the database.
