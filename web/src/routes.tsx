// The pages and their addresses. Three trees: nobody, a school's office, the platform.
import { createRootRoute, createRoute, createRouter, Navigate, type RouteComponent } from '@tanstack/react-router'
import { t } from './messages/console'
import { SignIn } from './pages/account/signin'
import { parseSearch, stringifySearch } from './patterns/address'
import { Empty, Trouble } from './patterns/feedback'
import { part } from './patterns/part'
import { Shell } from './shell/Shell'

const NotFound = () => (
  <div className="page">
    <div className="panel">
      <Empty
        title={t('There is no such page')}
        text={t('The address may be mistyped, or the page is not for your role.')}
      />
    </div>
  </div>
)
const Broken = ({ error, reset }: { error: unknown; reset: () => void }) => (
  <div className="page reading">
    <Trouble error={error} retry={reset} />
  </div>
)

const options = {
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  scrollRestoration: true,
} as const

function treeOf(pages: Record<string, RouteComponent>, root: Parameters<typeof createRootRoute>[0]) {
  const rootRoute = createRootRoute(root)
  return rootRoute.addChildren(
    Object.entries(pages).map(([path, component]) => createRoute({ getParentRoute: () => rootRoute, path, component })),
  )
}

const people = () => import('./pages/people/students')
const staff = () => import('./pages/people/employees')
const leave = () => import('./pages/attendance/leave')
const school = () => import('./pages/school/settings')
const account = () => import('./pages/account/account')
const schools = () => import('./pages/platform/schools')

const password = () => import('./pages/account/password')
const Forgot = part(password, 'Forgot')
const SetPassword = part(password, 'SetPassword')

const SSOReturn = part(() => import('./pages/account/sso'), 'SSOReturn')

const officePages: Record<string, RouteComponent> = {
  '/': part(() => import('./pages/dashboard/dashboard'), 'Dashboard'),
  '/register': part(() => import('./pages/attendance/register'), 'Register'),
  '/register/holidays': part(() => import('./pages/attendance/holidays'), 'Holidays'),
  '/register/summary': part(() => import('./pages/attendance/summary'), 'AttendanceSummary'),
  '/leave': part(leave, 'LeaveInbox'),
  '/leave/balances': part(leave, 'LeaveBalances'),
  '/exams': part(() => import('./pages/exams/exams'), 'Exams'),
  '/exams/$id': part(() => import('./pages/exams/exam'), 'ExamPage'),
  '/exams/terms': part(() => import('./pages/exams/terms-and-scales'), 'Terms'),
  '/exams/scales': part(() => import('./pages/exams/terms-and-scales'), 'Scales'),
  '/exams/report-card/$id': part(() => import('./pages/exams/report-card'), 'ReportCardPage'),
  '/events': part(() => import('./pages/academics/events'), 'Events'),
  '/students': part(people, 'Students'),
  '/students/import': part(() => import('./pages/import/import'), 'ImportStudents'),
  '/students/promote': part(() => import('./pages/people/promote'), 'Promote'),
  '/employees': part(staff, 'Employees'),
  '/employees/import': part(() => import('./pages/import/import'), 'ImportEmployees'),
  '/classes': part(() => import('./pages/academics/classes'), 'Classes'),
  '/subjects': part(() => import('./pages/academics/subjects'), 'Subjects'),
  '/groups': part(() => import('./pages/academics/groups'), 'Groups'),
  '/years': part(() => import('./pages/academics/years'), 'Years'),
  '/years/plan': part(() => import('./pages/academics/new-year'), 'NewYear'),
  '/timetable': part(() => import('./pages/academics/timetable'), 'Timetable'),
  '/timetable/teacher': part(() => import('./pages/academics/teacher-week'), 'TeacherWeek'),
  '/timetable/substitution': part(() => import('./pages/academics/substitution'), 'Substitution'),
  '/timetable/periods': part(() => import('./pages/academics/timetable'), 'Periods'),
  '/fees/collect': part(() => import('./pages/fees/collect'), 'Collect'),
  '/fees/family': part(() => import('./pages/fees/family'), 'FamilyPage'),
  '/fees/receipt': part(() => import('./pages/fees/receipt'), 'ReceiptPage'),
  '/fees/receipts': part(() => import('./pages/fees/receipts'), 'Receipts'),
  '/fees/refunds': part(() => import('./pages/fees/refunds'), 'Refunds'),
  '/fees/write-offs': part(() => import('./pages/fees/write-offs'), 'WriteOffs'),
  '/fees/dues': part(() => import('./pages/fees/dues'), 'DuesPage'),
  '/fees/ledger': part(() => import('./pages/fees/ledger'), 'Ledger'),
  '/fees/structures': part(() => import('./pages/fees/structures'), 'Structures'),
  '/fees/heads': part(() => import('./pages/fees/structures'), 'Heads'),
  '/fees/subscriptions': part(() => import('./pages/fees/subscriptions'), 'Subscriptions'),
  '/fees/opening-balances': part(() => import('./pages/fees/opening-balances'), 'OpeningBalances'),
  '/fees/rules': part(() => import('./pages/fees/rules'), 'Rules'),
  '/fees/charge': part(() => import('./pages/fees/charge'), 'Charge'),
  '/fees/concessions': part(() => import('./pages/fees/concessions'), 'Concessions'),
  '/fees/accounts': part(() => import('./pages/fees/accounts'), 'Accounts'),
  '/library': part(() => import('./pages/library/desk'), 'Desk'),
  '/library/books': part(() => import('./pages/library/books'), 'Books'),
  '/library/import': part(() => import('./pages/import/import'), 'ImportBooks'),
  '/import': part(() => import('./pages/import/import'), 'ImportAny'),
  '/library/loans': part(() => import('./pages/library/lists'), 'Loans'),
  '/library/overdue': part(() => import('./pages/library/lists'), 'Overdue'),
  '/library/reservations': part(() => import('./pages/library/lists'), 'Reservations'),
  '/announcements': part(() => import('./pages/communication/announcements'), 'Announcements'),
  '/messages': part(() => import('./pages/communication/messages'), 'Messages'),
  '/dispatch': part(() => import('./pages/communication/dispatch'), 'Dispatches'),
  '/dispatch/new': part(() => import('./pages/communication/dispatch-new'), 'WriteDispatch'),
  '/dispatch/templates': part(() => import('./pages/communication/dispatch'), 'Templates'),
  '/dispatch/batches': part(() => import('./pages/communication/batches'), 'NoticeBatches'),
  '/dispatch/blocked': part(() => import('./pages/communication/blocked'), 'BlockedAddresses'),
  '/permissions': part(() => import('./pages/school/permissions'), 'Permissions'),
  '/settings': part(school, 'Settings'),
  '/integrations': part(() => import('./pages/school/keys'), 'ApiKeys'),
  '/integrations/webhooks': part(() => import('./pages/school/webhooks'), 'Webhooks'),
  '/settings/fields': part(() => import('./pages/school/fields'), 'CustomFields'),
  '/settings/sign-in': part(() => import('./pages/school/sign-in'), 'SignInProviders'),
  '/settings/notices': part(() => import('./pages/school/notices'), 'NoticeRules'),
  '/live': part(() => import('./pages/transport/live'), 'Live'),
  '/transport': part(() => import('./pages/transport/trips'), 'Trips'),
  '/transport/buses': part(() => import('./pages/transport/buses'), 'Buses'),
  '/transport/routes': part(() => import('./pages/transport/routes'), 'BusRoutes'),
  '/transport/routes/$id': part(() => import('./pages/transport/routes'), 'BusRoute'),
  '/transport/incidents': part(() => import('./pages/transport/incidents'), 'Incidents'),
  '/audit': part(() => import('./pages/school/audit'), 'Audit'),
  '/account': part(account, 'Account'),
  '/password': SetPassword,
}

/** Loads the page that an address shows, while it is still asked who is signed in. */
export function loadPage(address: string) {
  const path = address.replace(/^\/console(?=\/|$)/, '').replace(/(.)\/$/, '$1') || '/'
  const page = officePages[path] ?? officePages[path.replace(/[^/]+$/, '$$id')]
  void page?.preload?.()
}

export const publicRouter = createRouter({
  ...options,
  routeTree: treeOf(
    { '/forgot': Forgot, '/password': SetPassword, '/sso/$provider': SSOReturn, '/$': SignIn, '/': SignIn },
    { notFoundComponent: SignIn },
  ),
})

export const officeRouter = createRouter({
  ...options,
  routeTree: treeOf(officePages, { component: Shell, notFoundComponent: NotFound }),
})

export const platformRouter = createRouter({
  ...options,
  routeTree: treeOf(
    {
      '/': () => <Navigate to="/schools" replace />,
      '/schools': part(schools, 'Schools'),
      '/schools/new': part(() => import('./pages/platform/onboard'), 'Onboard'),
      '/overview': part(() => import('./pages/platform/overview'), 'Overview'),
      '/migrations': part(() => import('./pages/platform/migrations'), 'Migrations'),
      '/nodes': part(() => import('./pages/platform/nodes'), 'Nodes'),
      '/admins': part(() => import('./pages/platform/admins'), 'Admins'),
      '/operators': part(() => import('./pages/platform/operators'), 'Operators'),
      '/accounts': part(() => import('./pages/platform/accounts'), 'Accounts'),
      '/deliveries': part(() => import('./pages/platform/deliveries'), 'Deliveries'),
      '/audit': part(() => import('./pages/platform/audit'), 'PlatformAudit'),
      '/account': part(account, 'Account'),
      '/password': SetPassword,
    },
    { component: Shell, notFoundComponent: NotFound },
  ),
})
