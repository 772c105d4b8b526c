import {
  ActionIcon,
  AppShell,
  Avatar,
  Burger,
  Group,
  Menu,
  Text,
  Tooltip,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import {
  IconDeviceDesktop,
  IconDevices,
  IconKey,
  IconLanguage,
  IconLayoutSidebar,
  IconLogout,
  IconMoon,
  IconSun,
} from '@tabler/icons-react'
import { Outlet, useLocation, useNavigate, useRouter, useRouterState } from '@tanstack/react-router'
import { memo, useEffect } from 'react'
import { asProblem } from '../api/client'
import { signOut, useMay, useSession } from '../api/session'
import { choose, language, t } from '../messages/console'
import { type Language, languages } from '../messages/language'
import { keepLanguage } from '../messages/own-language'
import { LateMenu } from '../patterns/late'
import { useStored } from '../patterns/stored'
import { Bell } from './Bell'
import { LineBar } from './LineBar'
import { type NavItem, navFor } from './nav'
import { Palette } from './Palette'
import { YearSwitch } from './year'

/** The frame of every page: where one can go, where one is, and who one is. */
export function Shell() {
  const session = useSession()
  const may = useMay()
  const [drawer, { toggle, close }] = useDisclosure()
  const [narrow, setNarrow] = useStored('homeroom.nav', false)
  const [chosen, setChosen] = useStored<Record<string, boolean>>('homeroom.open-groups', {})
  const groups = navFor(session)
  const many = groups.reduce((n, g) => n + g.items.length, 0) > 16 // else all fit
  const low = useMediaQuery('(min-width: 48em) and (max-height: 800px)', undefined, { getInitialValueInEffect: false })
  const path = useLocation({ select: (l) => l.pathname })
  // While the next page is loaded: the page before it.
  const shown = useRouterState({ select: (s) => (s.resolvedLocation ?? s.location).pathname })
  const isAt = (to: string) =>
    to === '/'
      ? path === '/' || path === '/console/' || path === '/console'
      : path.replace(/^\/console/, '').startsWith(to)
  const platform = session.user.role === 'SUPER_ADMIN'
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the drawer
  useEffect(close, [path])
  const { role, id } = session.user
  useEffect(() => {
    void keepLanguage(role, id).catch(() => {}) // the next start tries again
  }, [role, id])
  const slim = narrow && !drawer
  return (
    <>
      <a className="skip" href="#main">
        {t('Skip to the page')}
      </a>
      {platform && <div className="platform-line" />}
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: narrow ? 60 : 228, breakpoint: 'sm', collapsed: { mobile: !drawer } }}
        padding={0}
        transitionDuration={120}
      >
        <AppShell.Header className="shell-header">
          <Group h="100%" px={16} gap={12} wrap="nowrap">
            <Burger
              opened={drawer}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t('Navigation')}
              aria-expanded={drawer}
            />
            <Group gap={8} wrap="nowrap" style={{ minWidth: 0, flex: 1 }}>
              <Avatar size={28} radius={8} color="accent" variant="filled" alt="" aria-hidden>
                {(session.school?.name ?? 'H')[0]}
              </Avatar>
              <Text fw={600} truncate>
                {platform ? 'Homeroom' : session.school?.name}
              </Text>
              {platform && <span className="platform-badge">{t('Platform')}</span>}
            </Group>
            <Palette />
            {!platform && may('academic-year', 'read') && (
              <div className="only-wide">
                <YearSwitch />
              </div>
            )}
            {!platform && <Bell />}
            <Account />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar className="shell-nav" p={12} pt={0} aria-label={t('Main')}>
          <div style={{ flex: 1, overflowY: 'auto', overflowX: 'hidden' }}>
            {groups.map((g, n) => {
              // A low window opens the first group and the one of the page. What somebody opens or closes stays so.
              const open = slim || (chosen[g.title] ?? (!low || !many || n === 0 || g.items.some((i) => isAt(i.to))))
              return (
                <div key={g.title}>
                  {slim ? (
                    <div className="nav-group" />
                  ) : (
                    <button
                      type="button"
                      className="nav-group"
                      aria-expanded={open}
                      onClick={() => setChosen((c) => ({ ...c, [g.title]: !open }))}
                    >
                      {g.title}
                      {open ? '' : ` (${g.items.length})`}
                    </button>
                  )}
                  {open && g.items.map((i) => <NavLine key={i.to} item={i} slim={slim} active={isAt(i.to)} />)}
                </div>
              )
            })}
            {!platform && may('academic-year', 'read') && (
              <div className="only-narrow" style={{ marginTop: 20 }}>
                <YearSwitch />
              </div>
            )}
          </div>
          <Group justify={slim ? 'center' : 'flex-end'} visibleFrom="sm">
            <ActionIcon
              variant="subtle"
              color="gray"
              onClick={() => setNarrow(!narrow)}
              aria-label={narrow ? t('Widen the navigation') : t('Narrow the navigation')}
            >
              <IconLayoutSidebar size={18} stroke={1.6} />
            </ActionIcon>
          </Group>
        </AppShell.Navbar>
        <AppShell.Main id="main" data-at={shown} tabIndex={-1} style={{ outline: 'none' }}>
          <Outlet />
          <LineBar />
        </AppShell.Main>
      </AppShell>
    </>
  )
}

/** A plain link: one of the router's listens to it, and there are thirty. */
const NavLine = memo(function NavLine({ item, slim, active }: { item: NavItem; slim: boolean; active: boolean }) {
  const router = useRouter()
  const preload = () => void router.preloadRoute({ to: item.to }).catch(() => {}) // said when it is shown
  const line = (
    <a
      href={router.history.createHref(router.buildLocation({ to: item.to }).publicHref)}
      className="nav-link"
      data-active={active || undefined}
      aria-current={active ? 'page' : undefined}
      aria-label={slim ? item.title : undefined}
      onMouseEnter={preload}
      onFocus={preload}
      onTouchStart={preload}
      onClick={(e) => {
        if (e.metaKey || e.altKey || e.ctrlKey || e.shiftKey) return
        e.preventDefault()
        void router.navigate({ to: item.to })
      }}
    >
      <item.icon size={18} stroke={1.6} />
      {!slim && item.title}
    </a>
  )
  return slim ? (
    <Tooltip label={item.title} position="right">
      {line}
    </Tooltip>
  ) : (
    line
  )
})

function Account() {
  const { user } = useSession()
  const navigate = useNavigate()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const schemes = [
    { value: 'light', label: t('Light'), icon: IconSun },
    { value: 'dark', label: t('Dark'), icon: IconMoon },
    { value: 'auto', label: t('As the system'), icon: IconDeviceDesktop },
  ] as const
  return (
    <LateMenu
      position="bottom-end"
      width={240}
      target={
        <UnstyledButton aria-label={t('Account')} style={{ borderRadius: 999 }}>
          <Avatar size={32} radius={999} color="gray" alt="">
            {(user.email ?? '?')[0]?.toUpperCase()}
          </Avatar>
        </UnstyledButton>
      }
    >
      {() => (
        <Menu.Dropdown>
          <Menu.Label>{user.email}</Menu.Label>
          <Menu.Item leftSection={<IconKey size={16} stroke={1.6} />} onClick={() => void navigate({ to: '/account' })}>
            {t('Password and security')}
          </Menu.Item>
          <Menu.Divider />
          {schemes.map((s) => (
            <Menu.Item
              key={s.value}
              role="menuitemradio"
              aria-checked={colorScheme === s.value}
              leftSection={<s.icon size={16} stroke={1.6} />}
              fw={colorScheme === s.value ? 600 : undefined}
              onClick={() => setColorScheme(s.value)}
            >
              {s.label}
            </Menu.Item>
          ))}
          <Menu.Divider />
          {Object.entries(languages).map(([code, name]) => (
            <Menu.Item
              key={code}
              role="menuitemradio"
              aria-checked={language === code}
              leftSection={<IconLanguage size={16} stroke={1.6} />}
              fw={language === code ? 600 : undefined}
              lang={code}
              onClick={() => choose(code as Language)}
            >
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={16} stroke={1.6} />} onClick={() => void signOut()}>
            {t('Sign out')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconDevices size={16} stroke={1.6} />}
            onClick={() =>
              signOut(true).catch((e: unknown) => notifications.show({ color: 'red', message: asProblem(e).message }))
            }
          >
            {t('Sign out everywhere')}
          </Menu.Item>
        </Menu.Dropdown>
      )}
    </LateMenu>
  )
}
