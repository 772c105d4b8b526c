import './mantine.css'
import '@mantine/notifications/styles.css'
import './app.css'
import './first'
import { DirectionProvider, localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { startTransition, useEffect, useMemo } from 'react'
import { createRoot } from 'react-dom/client'
import { speakWith } from './api/client'
import { readsAsked, wasAtSchool } from './api/first'
import { useProofAsked } from './api/proof'
import { queries } from './api/queries'
import { renew, useSessionState } from './api/session'
import { keepFocus } from './focus'
import { t } from './messages/console'
import { SignInAgain, Unreachable } from './pages/account/signin'
import { part } from './patterns/part'
import { loadPage, officeRouter, platformRouter, publicRouter } from './routes'
import { themeFor, variables } from './theme'

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''
setNonce(nonce) // for what locks the page's scroll under a dialog

const scheme = localStorageColorSchemeManager({ key: 'homeroom.scheme' })

const ProveAgain = part(() => import('./pages/account/prove'), 'ProveAgain')

function Console() {
  const state = useSessionState()
  const asked = useProofAsked()
  const session = state.status === 'in' || state.status === 'ended' ? state.session : undefined
  const platform = session?.user.role === 'SUPER_ADMIN'
  useEffect(() => {
    document.title = session?.school?.name ? `${session.school.name} · Homeroom` : 'Homeroom'
  }, [session?.school?.name])
  // While the password is typed, the page that comes next is loaded.
  useEffect(() => {
    if (state.status === 'out') window.setTimeout(() => loadPage('/'), 1000)
  }, [state.status])
  const theme = useMemo(() => themeFor(platform), [platform])
  const router = (session ? (platform ? platformRouter : officeRouter) : publicRouter)()
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      colorSchemeManager={scheme}
      getStyleNonce={() => nonce}
    >
      <Notifications position="bottom-right" limit={3} autoClose={10_000} />
      {state.status === 'unreachable' ? (
        <Unreachable retry={() => void renew()} />
      ) : state.status === 'starting' ? null : (
        <RouterProvider router={router} key={session ? (platform ? 'platform' : 'office') : 'out'} />
      )}
      {asked && state.status === 'in' && <ProveAgain />}
      {state.status === 'ended' && <SignInAgain email={state.session.user.email ?? ''} />}
    </MantineProvider>
  )
}

keepFocus()
speakWith(t)
if (wasAtSchool()) loadPage(window.location.pathname) // beside the question whether they still are
void renew()
if ('serviceWorker' in navigator && import.meta.env.PROD)
  window.addEventListener('load', () => void navigator.serviceWorker.register('/console/sw.js').catch(() => {}))
// An answer that came while this was read is dealt with before the page is drawn, which takes a slow machine long.
const moment = new Promise((over) => window.setTimeout(over, 100))
void Promise.race([readsAsked, moment]).then(() =>
  // In slices, between which the answers are read that come meanwhile.
  startTransition(() =>
    createRoot(document.getElementById('root')!).render(
      <QueryClientProvider client={queries}>
        <DirectionProvider>
          <Console />
        </DirectionProvider>
      </QueryClientProvider>,
    ),
  ),
)
