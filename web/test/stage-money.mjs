// Puts fees, payments, books and words on the demo school's stage.
export async function stageMoney(url, email, password) {
  const login = await (
    await fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
  ).json()
  const call = async (method, path, data) => {
    const answer = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${login.accessToken}`, 'Content-Type': 'application/json' },
      body: data === undefined ? undefined : JSON.stringify({ data }),
    })
    const json = await answer.json()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(json)}`)
    return json.data
  }
  const get = (path) => call('GET', path)
  const post = (path, data) => call('POST', path, data)
  const day = (n) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10)
  if ((await get('/school-admin/announcement/list')).total > 0) return

  const heads = (await get('/school-admin/fee/head/list?sort[field]=createdAt')).items
  if (heads.length === 0)
    for (const [name, code, type] of [
      ['Tuition', 'TUI', 'TUITION'],
      ['Examinations', 'EXA', 'EXAM'],
      ['Laboratory', 'LAB', 'OTHER'],
    ])
      heads.push(await post('/school-admin/fee/head/create', { name, code, type }))
  const classes = (await get('/school-admin/class/list?sort[field]=level')).items
  const divisions = (await get('/school-admin/division/list?limit=100')).items
  const placed = async () =>
    (await get('/school-admin/student/list?limit=100&filters[status]=ACTIVE')).items.filter((s) => s.className)
  if ((await placed()).length < 60) {
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
    ]
    const last = ['Iyer', 'Nair', 'Das', 'Menon', 'Rao', 'Khan', 'Gupta', 'Fernandes', 'Bose']
    const file = [
      'admissionNumber,firstName,lastName,class,division,guardian1Relation,guardian1FirstName,guardian1LastName,guardian1Phone',
    ]
    for (let i = 0; i < 72; i++) {
      const c = classes[i % 3]
      const own = divisions.filter((d) => d.classId === c.id)
      file.push(
        `M-${String(i + 1).padStart(4, '0')},${first[(i * 7) % 12]},${last[(i * 5) % 9]},${c.name},${own[i % own.length].name},MOTHER,Lakshmi,${last[(i * 5) % 9]},+9196${String(76500000 + i)}`,
      )
    }
    const answer = await fetch(`${url}/school-admin/student/import`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${login.accessToken}`, 'Content-Type': 'text/csv' },
      body: file.join('\n'),
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
  const students = await placed()
  const structures = (await get('/school-admin/fee/structure/list')).items
  if (structures.length === 0)
    for (const [i, c] of classes.slice(0, 3).entries()) {
      structures.push(
        await post('/school-admin/fee/structure/create', {
          classId: c.id,
          name: `${c.name} fees`,
          heads: heads
            .slice(0, 2 + (i % 2))
            .map((h, n) => ({ feeHeadId: h.id, amount: [2_400_000 + i * 200_000, 180_000, 120_000][n] })),
          instalments: [
            { name: 'Term 1', dueDate: day(-75), percent: 40 },
            { name: 'Term 2', dueDate: day(-20), percent: 30 },
            { name: 'Term 3', dueDate: day(70), percent: 30 },
          ],
        }),
      )
    }
  for (const s of students.slice(3, 6))
    await post('/school-admin/fee/concession', {
      studentId: s.id,
      mode: 'PERCENT',
      value: 10,
      category: 'SIBLING',
      reason: 'Second child at the school',
    })
  await post('/school-admin/fee/concession', {
    studentId: students[7].id,
    mode: 'AMOUNT',
    value: 500_000,
    category: 'MERIT',
    reason: 'First of the class',
    feeHeadId: heads[0].id,
  })
  for (const s of structures)
    for (const instalment of [1, 2])
      await post('/school-admin/fee/charge', { structureId: s.id, classId: s.classId, instalment })
  const modes = ['CASH', 'UPI', 'CHEQUE', 'CARD', 'BANK_TRANSFER']
  for (const [i, s] of students.slice(0, 40).entries()) {
    const r = await post('/school-admin/fee/collection/record', {
      studentId: s.id,
      amount: [1_032_000, 600_000, 1_806_000][i % 3],
      paymentMode: modes[i % 5],
      referenceNumber: i % 5 ? `00${4711 + i}` : '',
    })
    if (i === 7) await post(`/school-admin/fee/collection/${r.id}/reverse`, { reason: 'The cheque bounced' })
  }

  await call('PUT', '/school-admin/setting', { libraryFinePerDay: 200 })
  const rows = ['title,author,isbn,publisher,publishedYear,category,price,accessionNumber,barcode,shelf']
  ;[
    ['Malgudi Days', 'R. K. Narayan', 'Fiction'],
    ['Godan', 'Premchand', 'Fiction'],
    ['The Discovery of India', 'Jawaharlal Nehru', 'History'],
    ['Wings of Fire', 'A. P. J. Abdul Kalam', 'Biography'],
    ['A Brief History of Time', 'Stephen Hawking', 'Science'],
    ['Train to Pakistan', 'Khushwant Singh', 'Fiction'],
    ['The Jungle Book', 'Rudyard Kipling', 'Children'],
  ].forEach(([title, author, category], i) => {
    for (let n = 0; n < 1 + (i % 3); n++)
      rows.push(
        `${title},${author},,Penguin,19${40 + i * 7},${category},${25_000 + i * 2_500},L-0${i}${n + 1},,${category[0]}-${i + 1}`,
      )
  })
  await fetch(`${url}/school-admin/library/book/import`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${login.accessToken}`, 'Content-Type': 'text/csv' },
    body: rows.join('\n'),
  })
  for (const [i, code] of ['L-001', 'L-011', 'L-021', 'L-022'].entries())
    await post('/school-admin/library/loan/issue', { code, studentId: students[i].id })
  const books = (await get('/school-admin/library/book/list?sort[field]=title')).items
  await post('/school-admin/library/reservation/create', {
    bookId: books.find((x) => x.title === 'Malgudi Days').id,
    studentId: students[9].id,
  })

  const announcement = await post('/school-admin/announcement/create', {
    title: 'School closes at noon on Friday',
    body: 'There is an inspection of the building. Buses leave at 12:15.',
    targetAudience: 'PARENTS',
    classIds: [classes[0].id],
  })
  await post(`/school-admin/announcement/${announcement.id}/publish`)
  await post('/school-admin/announcement/create', {
    title: 'Sports day',
    body: 'Bring water and a hat.',
    publishAt: new Date(Date.now() + 3 * 86_400_000).toISOString(),
  })
  await post('/school-admin/announcement/create', {
    title: 'Staff meeting',
    body: 'On Monday, at four.',
    targetAudience: 'TEACHERS',
  })
  const contacts = (await get('/school-admin/message/contacts')).contacts
  for (const [i, subject] of ['The trip to the museum', 'Library books', ''].entries())
    await post('/school-admin/message/send', {
      recipientIds: [contacts[i * 5].userId],
      subject,
      body: [
        'Is Diya allowed to come along on Thursday? The bus leaves at eight.',
        'Two books are late. Please bring them back this week.',
        'Thank you for the quick answer.',
      ][i],
    })
  await post('/school-admin/dispatch/template/create', {
    channel: 'SMS',
    name: 'Closed tomorrow',
    body: 'Dear {name}, {school} is closed tomorrow.',
  })
  await post('/school-admin/dispatch/sms', {
    audience: { divisionIds: [students[0].divisionId ?? (await get('/school-admin/division/list')).items[0].id] },
    body: 'Dear {name}, school closes at noon tomorrow. {school}',
  })
}
