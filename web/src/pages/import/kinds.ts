// The kinds of files that the console imports: what their columns are, and where what they brought is seen.
import { api, call, type Schemas } from '../../api/client'
import { t } from '../../messages/console'

export interface Kind {
  key: string
  title: string
  name: string
  path: string
  module: string
  list: string
  many: string
  subject?: 'STUDENT' | 'EMPLOYEE'
  columns: string
  accept?: string
  zip?: boolean
  makesSubjects?: boolean
  sample: string[][]
}

export type Since = 'YEAR_START' | 'TODAY'

/** What the office says of a file, beside the file itself. */
export interface Choices {
  since: Since
  dateOrder: string
  createClasses: boolean
  createSubjects: boolean
  leaveOut: boolean
  mapping: Record<string, string>
}

type Typed = '/school-admin/student/import'

/** A run of a kind; all kinds answer alike. */
export const readRun = (kind: Kind, id: string): Promise<Schemas['ImportRun']> =>
  call(api.GET(`${kind.path}/{id}` as `${Typed}/{id}`, { params: { path: { id } } }))

export const readRuns = (kind: Kind) => call(api.GET(`${kind.path}/list` as `${Typed}/list`, {}))

export const undoRun = (kind: Kind, id: string) =>
  call(api.POST(`${kind.path}/{id}/undo` as `${Typed}/{id}/undo`, { params: { path: { id } } }))

export const students: Kind = {
  key: 'STUDENT',
  module: 'student',
  name: t('Students and their guardians'),
  title: t('Import students'),
  path: '/school-admin/student/import',
  list: '/students',
  many: t('students'),
  subject: 'STUDENT',
  columns: t(
    'Your own spreadsheet will do. A name is needed; admission number, class, division, roll number, gender, date of birth, father, mother or guardian with their phones, and groups (several with ; between them) are found by the names of your columns, and you can correct them.',
  ),
  sample: [
    [
      'admissionNumber',
      'firstName',
      'lastName',
      'class',
      'division',
      'rollNumber',
      'gender',
      'dateOfBirth',
      'groups',
      'guardian1Relation',
      'guardian1FirstName',
      'guardian1Phone',
    ],
    ['', 'Asha', 'Rao', 'Class 5', 'A', '1', 'F', '2016-04-12', '', 'MOTHER', 'Meera', '+919876543210'],
  ],
}

const employees: Kind = {
  key: 'EMPLOYEE',
  module: 'employee',
  name: t('Teachers and staff'),
  title: t('Import employees'),
  path: '/school-admin/employee/import',
  list: '/employees',
  many: t('employees'),
  subject: 'EMPLOYEE',
  columns: t(
    'First name, phone and employee type (TEACHER, DRIVER, ADMIN or SUPPORT) are needed. Last name, employee code, email, department, designation and joining date are read too.',
  ),
  sample: [
    [
      'employeeCode',
      'firstName',
      'lastName',
      'employeeType',
      'phone',
      'email',
      'department',
      'designation',
      'joiningDate',
    ],
    ['T-01', 'Ravi', 'Menon', 'TEACHER', '+919876543211', 'ravi@school.example', 'Science', 'Teacher', '2026-06-01'],
  ],
}

const others: Kind[] = [
  {
    key: 'GUARDIAN',
    module: 'student',
    name: t('Guardians'),
    title: t('Import guardians'),
    path: '/school-admin/guardian/import',
    list: '/students',
    many: t('guardians'),
    columns: t(
      'Admission number, name and phone are needed; relation, e-mail and occupation are read too. A row for each child.',
    ),
    sample: [
      ['admissionNumber', 'relation', 'firstName', 'lastName', 'phone', 'email'],
      ['2026-0001', 'MOTHER', 'Meera', 'Rao', '+919876543210', ''],
    ],
  },
  {
    key: 'SUBJECT',
    module: 'subject',
    name: t('Subjects'),
    title: t('Import subjects'),
    path: '/school-admin/subject/import',
    list: '/subjects',
    many: t('subjects'),
    columns: t(
      'A name is needed; code, type, marks, the classes that take it (with ; between them) and weekly periods are read too.',
    ),
    sample: [
      ['name', 'code', 'type', 'maxMarks', 'passMarks', 'classes', 'weeklyPeriods'],
      ['Mathematics', 'MATH', 'CORE', '100', '35', 'Class 1; Class 2', '6'],
    ],
  },
  {
    key: 'ASSIGNMENT',
    module: 'employee',
    name: t('Who teaches what'),
    title: t('Import assignments'),
    path: '/school-admin/employee/assignments/import',
    list: '/employees',
    many: t('assignments'),
    makesSubjects: true,
    columns: t(
      'Teacher (by code, phone or name) and class are needed; division, subject and class teacher (yes or no) are read too.',
    ),
    sample: [
      ['teacher', 'class', 'division', 'subject', 'classTeacher'],
      ['T-01', 'Class 5', 'A', '', 'Yes'],
      ['T-01', 'Class 6', 'B', 'Mathematics', ''],
    ],
  },
  {
    key: 'ONEROSTER',
    module: 'student',
    name: t('OneRoster bundle'),
    title: t('Import a OneRoster bundle'),
    path: '/school-admin/oneroster/import',
    list: '/students',
    many: t('records'),
    accept: '.zip',
    columns: t(
      'A zip of OneRoster 1.2 or 1.1, as another program exports it: students with their divisions and guardians, staff, subjects, and who teaches what. It is read as the table below.',
    ),
    sample: [
      ['part', 'admissionNumber', 'firstName', 'lastName', 'class', 'division'],
      ['STUDENT', '2026-0001', 'Asha', 'Rao', 'Class 5', 'A'],
    ],
  },
  {
    key: 'TIMETABLE',
    module: 'timetable',
    name: t('Timetable'),
    title: t('Import the timetable'),
    path: '/school-admin/timetable/import',
    list: '/timetable',
    many: t('lessons'),
    accept: '.xml,.fet',
    makesSubjects: true,
    columns: t(
      'Class, day, period and subject are needed; division, teacher, room and group are read too. Also a timetable of FET (.fet or CSV), or of aSc TimeTables as XML. The periods of the day must exist.',
    ),
    sample: [
      ['class', 'division', 'day', 'period', 'subject', 'teacher', 'room'],
      ['Class 5', 'A', 'Monday', '1', 'Mathematics', 'T-01', ''],
    ],
  },
  {
    key: 'OPENING_BALANCE',
    module: 'fee',
    name: t('Opening balances'),
    title: t('Opening balances from a file'),
    path: '/school-admin/fee/opening-balance/import',
    list: '/fees/opening-balances',
    many: t('opening balances'),
    columns: t(
      'Admission number and amount are needed; date and note are read too. An amount below zero was paid in advance.',
    ),
    sample: [
      ['admissionNumber', 'amount', 'date', 'note'],
      ['2026-0001', '1500.00', '2026-03-31', 'Term 3'],
      ['2026-0002', '-200.00', '2026-03-31', ''],
    ],
  },
  {
    key: 'CONCESSION',
    module: 'fee',
    name: t('Concessions'),
    title: t('Import concessions'),
    path: '/school-admin/fee/concession/import',
    list: '/fees/concessions',
    many: t('concessions'),
    columns: t(
      'Admission number and concession (25% or an amount for the year) are needed; fee head, category and reason are read too.',
    ),
    sample: [
      ['admissionNumber', 'concession', 'head', 'category', 'reason'],
      ['2026-0001', '25%', '', 'SIBLING', 'Second child'],
    ],
  },
  {
    key: 'ATTENDANCE',
    module: 'attendance',
    name: t('Registers of past days'),
    title: t('Import registers'),
    path: '/school-admin/attendance/import',
    list: '/register',
    many: t('marks'),
    columns: t(
      'Admission number, date and status (present, absent, late or leave) are needed; remark is read too. A row for each day.',
    ),
    sample: [
      ['admissionNumber', 'date', 'status', 'remark'],
      ['2026-0001', '2026-06-15', 'P', ''],
    ],
  },
  {
    key: 'ATTENDANCE_TOTAL',
    module: 'attendance',
    name: t('Attendance up to a day'),
    title: t('Import attendance totals'),
    path: '/school-admin/attendance/total/import',
    list: '/attendance/summary',
    many: t('totals'),
    columns: t(
      'Admission number, the last day (until), school days and days present are needed; days absent, late and on leave are read too. For a school that begins here in the middle of a year: the days count in every summary and report card that has all of them.',
    ),
    sample: [
      ['admissionNumber', 'until', 'schoolDays', 'present', 'absent', 'late', 'leave'],
      ['2026-0001', '2026-10-31', '98', '91.5', '4', '2', '2'],
    ],
  },
  {
    key: 'EXAM_RESULT',
    module: 'result',
    name: t('Results of past exams'),
    title: t('Import exam results'),
    path: '/school-admin/exam/result/import',
    list: '/exams',
    many: t('results'),
    makesSubjects: true,
    columns: t(
      'Admission number, exam, subject, marks (or AB, EX) and date are needed, or a column for each subject in place of subject and marks. Maximum and pass marks, term and remark are read too. Parents see the results; nobody is notified.',
    ),
    sample: [
      ['admissionNumber', 'exam', 'subject', 'marks', 'maxMarks', 'passMarks', 'date', 'term'],
      ['2026-0001', 'Half-yearly', 'Mathematics', '72', '100', '35', '2026-09-20', 'Term 1'],
      ['2026-0001', 'Half-yearly', 'English', 'AB', '100', '35', '2026-09-20', 'Term 1'],
    ],
  },
  {
    key: 'PHOTO',
    module: 'student',
    name: t('Photos of students'),
    title: t('Import photos'),
    path: '/school-admin/student/photo/import',
    list: '/students',
    many: t('photos'),
    accept: '.zip',
    zip: true,
    columns: t(
      'A .zip file of pictures (JPEG, PNG, GIF or WebP), each called by its admission number: 2026-0001.jpg. At most 5 MB each.',
    ),
    sample: [],
  },
  {
    key: 'ROUTE',
    module: 'transport',
    name: t('Routes and stops'),
    title: t('Import routes'),
    path: '/school-admin/transport/route/import',
    list: '/transport/routes',
    many: t('stops'),
    columns: t(
      'Route, bus, direction (pickup or dropoff), stop, lat and lng are needed; time is read too. A row for each stop, in the order of the way.',
    ),
    sample: [
      ['route', 'bus', 'direction', 'stop', 'time', 'lat', 'lng'],
      ['Hill Road, morning', '7', 'pickup', 'Town Hall', '07:10', '12.9716', '77.5946'],
    ],
  },
  {
    key: 'RIDER',
    module: 'transport',
    name: t('Who rides the bus'),
    title: t('Import riders'),
    path: '/school-admin/transport/rider/import',
    list: '/transport/routes',
    many: t('riders'),
    columns: t('Admission number, route and stop are needed; the first day is read too.'),
    sample: [
      ['admissionNumber', 'route', 'stop', 'from'],
      ['2026-0001', 'Hill Road, morning', 'Town Hall', ''],
    ],
  },
]

export const books: Kind = {
  key: 'BOOK',
  module: 'library',
  name: t('Library books'),
  title: t('Import books'),
  path: '/school-admin/library/book/import',
  list: '/library/books',
  many: t('books'),
  columns: t(
    'A title is needed; author, ISBN, publisher, accession number, barcode, shelf and price are read too. A row for each copy.',
  ),
  sample: [
    [
      'title',
      'author',
      'isbn',
      'publisher',
      'publishedYear',
      'category',
      'price',
      'accessionNumber',
      'barcode',
      'shelf',
    ],
    [
      'Malgudi Days',
      'R. K. Narayan',
      '9788185986173',
      'Indian Thought',
      '1943',
      'Fiction',
      '25000',
      'L-0001',
      '',
      'F-12',
    ],
  ],
}

export const kinds: Kind[] = [students, employees, ...others, books]

export const kindOf = (key: string | undefined) => kinds.find((k) => k.key === key) ?? students

/** What a figure of a whole file is called; amounts of money are in minor units. */
export const sumWords: Record<string, { label: string; money?: boolean }> = {
  dues: { label: t('Families that owe') },
  dueAmount: { label: t('Owed'), money: true },
  credits: { label: t('Families that paid in advance') },
  creditAmount: { label: t('Paid in advance'), money: true },
  books: { label: t('New books') },
  copies: { label: t('New copies') },
  exams: { label: t('New exams') },
  results: { label: t('New results') },
  buses: { label: t('New buses') },
  routes: { label: t('New routes') },
  stops: { label: t('New stops') },
  present: { label: t('Present') },
  absent: { label: t('Absent') },
  late: { label: t('Late') },
  leave: { label: t('On leave') },
}
