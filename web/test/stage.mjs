// Puts people, subjects and lessons on the demo school's stage, so that pictures show a school at work.
export async function stage(url, email, password) {
  const post = async (path, body, token, raw) => {
    const answer = await fetch(url + path, {
      method: raw?.method ?? 'POST',
      headers: {
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        'Content-Type': raw?.type ?? 'application/json',
      },
      body: raw ? raw.body : JSON.stringify(body),
    })
    const json = await answer.json()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(json)}`)
    return json
  }
  const { accessToken: token } = await post('/auth/login', { email, password })
  const get = async (path) =>
    (await (await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } })).json()).data
  if ((await get('/school-admin/subject/list?limit=1')).total > 0) return // the demo school has students of its own, and no subjects

  const year = (await get('/school-admin/academic-year/list')).items.find((y) => y.active)
  const first = [
    'Aarav',
    'Diya',
    'Ishaan',
    'Kavya',
    'Rohan',
    'Meera',
    'Vihaan',
    'Anaya',
    'Arjun',
    'Sara',
    'Kabir',
    'Nila',
    'Dev',
    'Tara',
    'Yash',
    'Zoya',
  ]
  const last = ['Iyer', 'Nair', 'Das', 'Menon', 'Rao', 'Khan', 'Gupta', 'Fernandes', 'Bose']
  const rows = [
    'admissionNumber,firstName,lastName,class,division,rollNumber,gender,dateOfBirth,admissionDate,guardian1Relation,guardian1FirstName,guardian1LastName,guardian1Phone,guardian1Occupation',
  ]
  for (let i = 0; i < 132; i++) {
    const seat = i % 22 === 21 ? ',,' : `Class ${5 + (i % 3)},${i % 2 ? 'A' : 'B'},${1 + Math.floor(i / 6)}`
    const family = last[(i * 5) % last.length]
    rows.push(
      `2026-${String(i + 1).padStart(4, '0')},${first[(i * 7) % first.length]},${family},${seat},${i % 2 ? 'F' : 'M'},201${4 + (i % 3)}-0${1 + (i % 9)}-1${i % 9},${year.startDate},${i % 3 ? 'MOTHER' : 'FATHER'},${i % 3 ? 'Lakshmi' : 'Suresh'},${family},+9198${String(76500000 + i)},${i % 4 ? 'Engineer' : 'Nurse'}`,
    )
  }
  await post('/school-admin/student/import', null, token, { type: 'text/csv', body: rows.join('\n') })
  const staff = ['employeeCode,firstName,lastName,employeeType,phone,email,department,designation,joiningDate']
  const people = [
    ['Ravi', 'Menon', 'TEACHER', 'Science', 'Senior teacher'],
    ['Priya', 'Nair', 'TEACHER', 'Languages', 'Teacher'],
    ['Joseph', 'Mathew', 'TEACHER', 'Mathematics', 'Teacher'],
    ['Salim', 'Khan', 'DRIVER', 'Transport', 'Driver'],
    ['Uma', 'Das', 'SUPPORT', 'Office', 'Clerk'],
  ]
  for (const [i, [f, l, t, d, g]] of people.entries())
    staff.push(
      `E-0${i + 1},${f},${l},${t},+9197${String(65400000 + i)},${f.toLowerCase()}@green-valley.local,${d},${g},20${18 + i}-06-01`,
    )
  await post('/school-admin/employee/import', null, token, { type: 'text/csv', body: staff.join('\n') })
  const subjects = []
  for (const [name, code] of [
    ['Mathematics', 'MATH'],
    ['Science', 'SCI'],
    ['English', 'ENG'],
    ['Hindi', 'HIN'],
    ['Social studies', 'SST'],
    ['Art', 'ART'],
  ])
    subjects.push(
      (
        await post(
          '/school-admin/subject/create',
          { data: { name, code, type: code === 'ART' ? 'CO_SCHOLASTIC' : 'CORE', maxMarks: 100, passMarks: 35 } },
          token,
        )
      ).data,
    )
  const periods = []
  for (const [name, startTime, endTime, isBreak] of [
    ['1st period', '08:30', '09:15'],
    ['2nd period', '09:15', '10:00'],
    ['Break', '10:00', '10:20', true],
    ['3rd period', '10:20', '11:05'],
    ['4th period', '11:05', '11:50'],
  ])
    periods.push(
      (
        await post(
          '/school-admin/timetable/period/create',
          { data: { name, startTime, endTime, isBreak: !!isBreak } },
          token,
        )
      ).data,
    )
  const teachers = (await get('/school-admin/employee/list?filters[employeeType]=TEACHER')).items
  const classes = (await get('/school-admin/class/list')).items
  const division = (await get('/school-admin/division/list?limit=100')).items.filter(
    (d) => d.classId === classes[0].id,
  )[0]
  await post(`/school-admin/employee/${teachers[0].id}/assignments`, null, token, {
    method: 'PUT',
    type: 'application/json',
    body: JSON.stringify({
      data: {
        assignments: [
          { classId: classes[0].id, divisionId: division.id, isClassTeacher: true },
          { classId: classes[1].id, subjectId: subjects[1].id },
        ],
      },
    }),
  })
  const slots = [1, 2, 3, 4, 5]
    .flatMap((dayOfWeek) =>
      periods
        .filter((p) => !p.isBreak)
        .map((p, i) => ({
          dayOfWeek,
          periodId: p.id,
          subjectId: subjects[(i + dayOfWeek) % 6].id,
          teacherId: teachers[(i + dayOfWeek) % 3].id,
          room: '50A',
        })),
    )
    .filter((_, i) => i % 7 !== 5)
  await post(`/school-admin/timetable/division/${division.id}`, null, token, {
    method: 'PUT',
    type: 'application/json',
    body: JSON.stringify({ data: { slots } }),
  })
}
