-- A student's photo is one of the school's files. Ids that name none were never a photo.

UPDATE student SET photo_file_id = NULL
WHERE photo_file_id IS NOT NULL AND NOT EXISTS (SELECT FROM file WHERE file.id = student.photo_file_id);

ALTER TABLE student ADD CONSTRAINT student_photo_fkey FOREIGN KEY (photo_file_id) REFERENCES file (id);
