-- Scheduled work is one kind of job, "scheduled", that names the work. Jobs of the kinds there were
-- before have no worker: the queue would try them again for days. A new database has no queue yet.

DO $$
BEGIN
    IF to_regclass('river_job') IS NOT NULL THEN
        DELETE FROM river_job WHERE finalized_at IS NULL AND kind IN (
            'clear-schools', 'clear-told', 'compare-topics', 'count-schools', 'heal-directory', 'heal-profiles',
            'late-fines', 'let-students-leave', 'library-holds', 'thin-trails');
    END IF;
END $$;
