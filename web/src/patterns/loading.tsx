// Code that comes when it is shown, or about to be. The console and the app say differently what could not be loaded.
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'

type PropsOf<C> = C extends ComponentType<infer P> ? P & object : never

/** partWith makes part(), whose components are of a file that is loaded for them; waiting is in their place meanwhile. */
export function partWith(NotLoaded: ComponentType<{ retry: () => void }>) {
  return function part<M, N extends keyof M>(load: () => Promise<M>, name: N, waiting?: ReactNode) {
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
      const [, setIsLoaded] = useState(Loaded !== undefined)
      const get = () => {
        setFailed(false)
        read().then(
          () => setIsLoaded(true),
          () => setFailed(true),
        )
      }
      // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is shown before it is loaded
      useEffect(() => {
        if (!Loaded) get()
        else setIsLoaded(true) // it may have come since it was drawn
      }, [])
      if (Loaded) return <Loaded {...props} />
      return failed ? <NotLoaded retry={get} /> : waiting
    }
    Part.preload = () => read().catch(() => {}) // said when it is shown
    return Part
  }
}
