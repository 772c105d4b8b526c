import { Checkbox } from '@mantine/core'
import { type ComponentPropsWithoutRef, useEffect, useRef } from 'react'

const { inner, input, icon } = Checkbox.classes as Record<string, string>

type TickBoxProps = Omit<ComponentPropsWithoutRef<'input'>, 'type' | 'className'> & { indeterminate?: boolean }

/** The tick of a line: Mantine's small checkbox to look at, of which a list of a hundred lines takes a slow machine a second. */
export function TickBox({ indeterminate = false, ...rest }: TickBoxProps) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    box.current!.indeterminate = indeterminate
  }, [indeterminate])
  return (
    <div className={`tick-box ${inner}`}>
      <input
        {...rest}
        ref={box}
        type="checkbox"
        className={`mantine-focus-auto ${input}`}
        data-indeterminate={indeterminate || undefined}
      />
      <svg viewBox={indeterminate ? '0 0 32 6' : '0 0 10 7'} className={icon} aria-hidden>
        {indeterminate ? (
          <rect width="32" height="6" fill="currentColor" rx="3" />
        ) : (
          <path
            d="M4 4.586L1.707 2.293A1 1 0 1 0 .293 3.707l3 3a.997.997 0 0 0 1.414 0l5-5A1 1 0 1 0 8.293.293L4 4.586z"
            fill="currentColor"
            fillRule="evenodd"
          />
        )}
      </svg>
    </div>
  )
}
