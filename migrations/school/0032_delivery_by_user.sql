-- What waits for a user is looked at whenever the user may see other things than before.
CREATE INDEX delivery_user_idx ON delivery (user_id) WHERE state <> 'SENT';
