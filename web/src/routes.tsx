// The pages and their addresses. Three trees: nobody, a school's office, the platform.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  type RouteComponent,
} from '@tanstack/react-router'
import { Forgot, SetPassword, SignIn } from './pages/signin'
import { parseSearch, stringifySearch } from './patterns/address'
import { Empty, Trouble } from './patterns/feedback'
import { Shell } from './shell/Shell'

const NotFound = () => (
  <div className="page">
    <div className="panel">
      <Empty title="There is no such page" text="The address may be mistyped, or the page is not for your role." />
    </div>
  </div>
)
const Broken = ({ error }: { error: unknown }) => (
  <div className="page reading">
    <Trouble error={error} retry={() => window.location.reload()} />
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

const part = <T extends Record<string, unknown>>(load: () => Promise<T>, name: keyof T & string) =>
  lazyRouteComponent(load as never, name) as unknown as RouteComponent

const people = () => import('./pages/students')
const staff = () => import('./pages/employees')
const academics = () => import('./pages/academics')
const leave = () => import('./pages/leave')
const school = () => import('./pages/school')
const account = () => import('./pages/account')
const schools = () => import('./pages/schools')

export const publicRouter = createRouter({
  ...options,
  routeTree: treeOf(
    { '/forgot': Forgot, '/password': SetPassword, '/$': SignIn, '/': SignIn },
    { notFoundComponent: SignIn },
  ),
})

export const officeRouter = createRouter({
  ...options,
  routeTree: treeOf(
    {
      '/': part(() => import('./pages/dashboard'), 'Dashboard'),
      '/register': part(() => import('./pages/register'), 'Register'),
      '/register/holidays': part(() => import('./pages/holidays'), 'Holidays'),
      '/leave': part(leave, 'LeaveInbox'),
      '/leave/balances': part(leave, 'LeaveBalances'),
      '/exams': part(() => import('./pages/exams'), 'Exams'),
      '/exams/$id': part(() => import('./pages/exam'), 'ExamPage'),
      '/exams/terms': part(() => import('./pages/exam-setup'), 'Terms'),
      '/exams/scales': part(() => import('./pages/exam-setup'), 'Scales'),
      '/exams/report-card/$id': part(() => import('./pages/report-card'), 'ReportCardPage'),
      '/events': part(() => import('./pages/events'), 'Events'),
      '/students': part(people, 'Students'),
      '/students/import': part(() => import('./pages/import'), 'ImportStudents'),
      '/students/promote': part(() => import('./pages/promote'), 'Promote'),
      '/employees': part(staff, 'Employees'),
      '/employees/import': part(() => import('./pages/import'), 'ImportEmployees'),
      '/classes': part(academics, 'Classes'),
      '/subjects': part(academics, 'Subjects'),
      '/years': part(academics, 'Years'),
      '/timetable': part(() => import('./pages/timetable'), 'Timetable'),
      '/timetable/periods': part(() => import('./pages/timetable'), 'Periods'),
      '/fees/collect': part(() => import('./pages/fees/collect'), 'Collect'),
      '/fees/receipt': part(() => import('./pages/fees/receipt'), 'ReceiptPage'),
      '/fees/receipts': part(() => import('./pages/fees/receipts'), 'Receipts'),
      '/fees/dues': part(() => import('./pages/fees/dues'), 'DuesPage'),
      '/fees/ledger': part(() => import('./pages/fees/ledger'), 'Ledger'),
      '/fees/structures': part(() => import('./pages/fees/structures'), 'Structures'),
      '/fees/heads': part(() => import('./pages/fees/structures'), 'Heads'),
      '/fees/charge': part(() => import('./pages/fees/charge'), 'Charge'),
      '/fees/concessions': part(() => import('./pages/fees/concessions'), 'Concessions'),
      '/fees/accounts': part(() => import('./pages/fees/accounts'), 'Accounts'),
      '/library': part(() => import('./pages/library/desk'), 'Desk'),
      '/library/books': part(() => import('./pages/library/books'), 'Books'),
      '/library/import': part(() => import('./pages/library/import'), 'ImportBooks'),
      '/library/loans': part(() => import('./pages/library/lists'), 'Loans'),
      '/library/overdue': part(() => import('./pages/library/lists'), 'Overdue'),
      '/library/reservations': part(() => import('./pages/library/lists'), 'Reservations'),
      '/announcements': part(() => import('./pages/announcements'), 'Announcements'),
      '/messages': part(() => import('./pages/messages'), 'Messages'),
      '/dispatch': part(() => import('./pages/dispatch'), 'Dispatches'),
      '/dispatch/new': part(() => import('./pages/dispatch-new'), 'WriteDispatch'),
      '/dispatch/templates': part(() => import('./pages/dispatch'), 'Templates'),
      '/permissions': part(() => import('./pages/permissions'), 'Permissions'),
      '/settings': part(school, 'Settings'),
      '/live': part(() => import('./pages/live'), 'Live'),
      '/transport': part(() => import('./pages/trips'), 'Trips'),
      '/transport/buses': part(() => import('./pages/buses'), 'Buses'),
      '/transport/routes': part(() => import('./pages/busroutes'), 'BusRoutes'),
      '/transport/routes/$id': part(() => import('./pages/busroutes'), 'BusRoute'),
      '/transport/incidents': part(() => import('./pages/incidents'), 'Incidents'),
      '/audit': part(() => import('./pages/audit'), 'Audit'),
      '/account': part(account, 'Account'),
      '/password': SetPassword,
    },
    { component: Shell, notFoundComponent: NotFound },
  ),
})

export const platformRouter = createRouter({
  ...options,
  routeTree: treeOf(
    {
      '/': () => <Navigate to="/schools" replace />,
      '/schools': part(schools, 'Schools'),
      '/schools/new': part(() => import('./pages/onboard'), 'Onboard'),
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
