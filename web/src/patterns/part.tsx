// Code that comes when it is shown, or about to be: a page, a chart, a map. What cannot be loaded says so and can be tried
// again; the console is never loaded anew by itself, since what is typed elsewhere on it would be lost.
import { Button, Group, Text } from '@mantine/core'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { Trouble } from './feedback'

type PropsOf<C> = C extends ComponentType<infer P> ? P & object : never

/** part is a component of a file that is loaded for it; waiting is in its place meanwhile. */
export function part<M, N extends keyof M>(load: () => Promise<M>, name: N, waiting?: ReactNode) {
  type P = PropsOf<M[N]>
  let Loaded: ComponentType<P> | undefined
  let loading: Promise<void> | undefined
  const read = () =>
    (loading ??= load()
      .then((m) => {
        Loaded = m[name] as ComponentType<P>
      })
      .finally(() => (loading = undefined)))
  function Part(props: P) {
    const [failed, setFailed] = useState(false)
    const [, redraw] = useState(false)
    const get = () => {
      setFailed(false)
      read().then(
        () => redraw(true),
        () => setFailed(true),
      )
    }
    // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is shown before it is loaded
    useEffect(() => {
      if (!Loaded) get()
    }, [])
    if (Loaded) return <Loaded {...props} />
    return failed ? <NotLoaded retry={get} /> : waiting
  }
  Part.preload = () => read().catch(() => {}) // said when it is shown
  return Part
}

function NotLoaded({ retry }: { retry: () => void }) {
  const [updated, setUpdated] = useState(false)
  useEffect(() => {
    const running = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src')
    if (!running) return
    let gone = false
    fetch(window.location.pathname, { cache: 'no-store' })
      .then((r) => r.text())
      .then((html) => !gone && setUpdated(!html.includes(running)))
      .catch(() => {}) // no line: nothing is known of another build
    return () => {
      gone = true
    }
  }, [])
  return (
    <div className="page reading">
      <Trouble error={new Error('This could not be loaded. Check the network.')} retry={retry} />
      {updated && (
        <Group mt={16} gap={12}>
          <Text>Homeroom was updated meanwhile.</Text>
          <Button size="compact-sm" variant="default" onClick={() => window.location.reload()}>
            Open the new version
          </Button>
        </Group>
      )}
    </div>
  )
}
