// Puts a month of school days, an exam, leave and events on the demo school's stage.
import { outbox } from './browser.mjs'

export async function stageDay(url, email, password) {
  const send = async (method, path, data, token) => {
    const answer = await fetch(url + path, {
      method,
      headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), 'Content-Type': 'application/json' },
      body: data && JSON.stringify(data),
    })
    const json = await answer.json()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(json)}`)
    return json
  }
  const { accessToken: token } = await send('POST', '/auth/login', { email, password })
  const get = async (path) => (await send('GET', path, undefined, token)).data
  const post = async (path, data) => (await send('POST', path, { data }, token)).data
  if ((await get('/school-admin/event/list?limit=1')).total > 0) return

  const [classes, divisions, subjects, teachers] = await Promise.all(
    ['class', 'division', 'subject', 'employee'].map(
      async (k) => (await get(`/school-admin/${k}/list?limit=100`)).items,
    ),
  )
  const { date: today } = await get('/school-admin/attendance/unmarked')
  const away = (n) => new Date(Date.parse(today) + n * 86_400_000).toISOString().slice(0, 10)
  for (const [d, division] of divisions.entries()) {
    for (let n = -24; n <= 0; n++) {
      const sheet = await get(`/school-admin/attendance/register?divisionId=${division.id}&date=${away(n)}`)
      if (sheet.dayOff || sheet.students.length === 0 || (n === 0 && d % 3 === 1)) continue
      const records = sheet.students.map((s, i) => {
        const x = (i * 31 + n * 17 + d * 7 + 1000) % 53
        return {
          studentId: s.studentId,
          status: x < 2 ? 'ABSENT' : x === 2 ? 'LATE' : x === 3 ? 'LEAVE' : 'PRESENT',
          ...(x === 2 ? { lateMinutes: 10 + (i % 20) } : {}),
        }
      })
      await post('/school-admin/attendance/mark', {
        divisionId: division.id,
        date: away(n),
        records,
        reason: 'Brought over from paper',
      })
    }
  }
  await post('/school-admin/attendance/holiday/create', { name: 'Founder’s day', startDate: away(20) })
  await post('/school-admin/attendance/holiday/create', {
    name: 'Winter holidays',
    startDate: away(38),
    endDate: away(48),
  })
  await post('/school-admin/attendance/holiday/create', {
    name: 'Excursion',
    startDate: away(12),
    classIds: [classes[0].id],
  })
  for (const [title, n, startTime, endTime, venue, capacity] of [
    ['Sports day', 6, '09:00', '13:00', 'School ground', 200],
    ['Parents’ meeting', 11, '16:30', '18:00', 'Main hall'],
    ['Science fair', 19, '10:00', '15:00', 'Laboratories', 60],
  ])
    await post('/school-admin/event/create', { title, eventDate: away(n), startTime, endTime, venue, capacity })
  const students = (await get('/school-admin/student/list?limit=100&filters[status]=ACTIVE')).items
  for (let i = 0; i < 9; i++)
    await post('/school-admin/fee/collection/record', {
      studentId: students[i * 3].id,
      amount: 450000 + i * 35000,
      paymentMode: i % 2 ? 'UPI' : 'CASH',
    })

  const year = (await get('/school-admin/academic-year/list')).items.find((y) => y.active)
  const clip = (day) => (day < year.startDate ? year.startDate : day > year.endDate ? year.endDate : day)
  const term = await post('/school-admin/exam/term/create', {
    academicYearId: year.id,
    name: 'Term 1',
    startDate: year.startDate,
    endDate: away(10),
    weight: 40,
  })
  const exam = await post('/school-admin/exam/create', {
    name: 'Half-yearly',
    classIds: classes.slice(0, 2).map((c) => c.id),
    startDate: clip(away(-20)),
    endDate: clip(away(-6)),
    termId: term.id,
  })
  await post('/school-admin/exam/schedule', {
    examId: exam.id,
    papers: classes.slice(0, 2).flatMap((c, k) =>
      subjects.slice(0, 5).map((s, i) => ({
        classId: c.id,
        subjectId: s.id,
        examDate: clip(away(-18 + i * 2)),
        startTime: k ? '12:00' : '09:30',
        endTime: k ? '14:00' : '11:30',
        room: `${10 + i + k * 10}`,
        invigilatorId: teachers.filter((t) => t.employeeType === 'TEACHER')[i % 3]?.id,
      })),
    ),
  })
  const { papers } = await get(`/school-admin/exam/${exam.id}/schedule`)
  const results = students
    .filter((s) => papers.some((p) => p.classId === s.classId))
    .flatMap((s, i) =>
      papers
        .filter((p) => p.classId === s.classId)
        .map((p, j) => {
          const x = (i * 37 + j * 23) % 70
          return x === 11
            ? { paperId: p.id, studentId: s.id, isAbsent: true }
            : { paperId: p.id, studentId: s.id, marksObtained: 29 + x }
        }),
    )
  await post('/school-admin/exam/result/upload', { examId: exam.id, results })
  await post('/school-admin/exam/create', {
    name: 'Unit test 3',
    classIds: classes.map((c) => c.id),
    startDate: clip(away(15)),
    endDate: clip(away(20)),
  })

  // Parents and a teacher ask for leave, each signed in by their own code.
  for (const [phone, prefix, leave] of [
    [
      '+919876500000',
      'parent',
      {
        leaveType: 'SICK',
        fromDate: away(0),
        toDate: away(2),
        reason: 'Viral fever. The doctor advised rest for three days.',
      },
    ],
    [
      '+919876500004',
      'parent',
      { leaveType: 'CASUAL', fromDate: away(3), toDate: away(4), reason: 'Cousin’s wedding in Kochi' },
    ],
    ['+919765400001', 'teacher', { leaveType: 'CASUAL', fromDate: away(5), toDate: away(7), reason: 'Moving house' }],
  ]) {
    await send('POST', `/${prefix}/user-auth/send-otp`, { phone })
    const otp = /\b\d{6}\b/.exec((await outbox(url, phone))[0].text)[0]
    const signed = await send('POST', `/${prefix}/user-auth/verify-otp`, { phone, otp })
    const mine = signed.accessToken ?? signed.data?.accessToken
    const child =
      prefix === 'parent'
        ? (await send('POST', '/parent/student/list', { data: {} }, mine)).data.students[0]
        : undefined
    await send(
      'POST',
      `/${prefix}/leave/apply`,
      { data: { ...leave, ...(child ? { studentId: child.id } : {}) } },
      mine,
    )
  }
}
