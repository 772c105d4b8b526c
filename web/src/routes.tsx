// The pages and their addresses. Three trees: nobody, a school's office, the platform.
import { createRootRoute, createRoute, createRouter, Navigate, type RouteComponent } from '@tanstack/react-router'
import { t } from './messages/console'
import { officePages, pageAt } from './office-pages'
import { SignIn } from './pages/account/signin'
import { parseSearch, stringifySearch } from './patterns/address'
import { Empty, Trouble } from './patterns/feedback'
import { memoize } from './patterns/memoize'
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

const account = () => import('./pages/account/account')
const schools = () => import('./pages/platform/schools')

const password = () => import('./pages/account/password')
const Forgot = part(password, 'Forgot')
const SetPassword = part(password, 'SetPassword')

const SSOReturn = part(() => import('./pages/account/sso'), 'SSOReturn')

const officeParts = Object.fromEntries(
  Object.entries(officePages).map(([path, { load, name }]) => [
    path,
    part(load as () => Promise<Record<string, RouteComponent>>, name),
  ]),
)

/** Loads the page that an address shows, while it is still asked who is signed in. */
export const loadPage = (address: string) => void officeParts[pageAt(address) ?? '']?.preload()

// Each is made when it is used: a slow machine takes long for it.
export const publicRouter = memoize(() =>
  createRouter({
    ...options,
    routeTree: treeOf(
      { '/forgot': Forgot, '/password': SetPassword, '/sso/$provider': SSOReturn, '/$': SignIn, '/': SignIn },
      { notFoundComponent: SignIn },
    ),
  }),
)

export const officeRouter = memoize(() =>
  createRouter({
    ...options,
    routeTree: treeOf(officeParts, { component: Shell, notFoundComponent: NotFound }),
  }),
)

export const platformRouter = memoize(() =>
  createRouter({
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
  }),
)
