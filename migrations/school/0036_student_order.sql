-- The students' list goes by first name and leaves out those who are deleted. With the same condition on the index, the
-- records before a page are skipped in the index alone.
CREATE INDEX student_order_idx ON student (first_name, id) WHERE deleted_at IS NULL;
DROP INDEX student_name_idx;
