// What nobody has opened yet is not drawn: a page has many menus and dialogs, and on a slow machine each takes longer than the button
// that opens it. The first time one is drawn closed and then opens, so that it takes the focus, and gives it back, as ever.
import { Menu, type MenuProps } from '@mantine/core'
import { cloneElement, type ReactElement, type ReactNode, useEffect, useState } from 'react'

/** Whether a dialog has been opened so far, and whether it is open now. */
export function useLateOpen(opened: boolean): [drawn: boolean, open: boolean] {
  const [drawn, setDrawn] = useState(opened)
  useEffect(() => {
    if (opened) setDrawn(true)
  }, [opened])
  return [drawn || opened, drawn && opened]
}

interface LateMenuProps extends Omit<MenuProps, 'opened' | 'onChange' | 'children'> {
  /** The button that opens it. */
  target: ReactElement<Record<string, unknown>>
  children: () => ReactNode
}

export function LateMenu(props: LateMenuProps) {
  const [isWanted, setIsWanted] = useState(false)
  if (isWanted) return <OpeningMenu {...props} />
  return cloneElement(props.target, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => setIsWanted(true),
  })
}

function OpeningMenu({ target, children, ...menu }: LateMenuProps) {
  const [opened, setOpened] = useState(false)
  useEffect(() => setOpened(true), [])
  return (
    <Menu {...menu} opened={opened} onChange={setOpened}>
      {/* In the place of the button that had the focus. */}
      <Menu.Target>{cloneElement(target, { autoFocus: true })}</Menu.Target>
      {children()}
    </Menu>
  )
}
