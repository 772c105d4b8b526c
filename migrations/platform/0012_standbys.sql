-- A server that follows the node's, for reads that may be stale; empty: none. It holds no password: logins are the node's.
ALTER TABLE node ADD COLUMN standby_url text NOT NULL DEFAULT '';
