const underWay = ':disabled, [data-disabled], [data-loading]'

/**
 * Keeps the keyboard's place. A button that is switched off while its call is under way loses the focus; with the answer it
 * goes to the first field that was refused, else back to the button.
 */
export function keepFocus() {
  let pressed: Element | null = null
  const press = (by: Element | null) => {
    pressed = by?.closest('button') ?? null
  }
  document.addEventListener('click', (e) => press(e.target as Element), true)
  document.addEventListener('submit', (e) => press(e.submitter), true)
  new MutationObserver(() => {
    if (!pressed || document.activeElement !== document.body || pressed.matches(underWay)) return
    const form = pressed.closest('form, [role=dialog]')
    const goTo = form?.querySelector<HTMLElement>('[aria-invalid=true]') ?? (pressed as HTMLElement)
    pressed = null
    goTo.focus()
  }).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled', 'data-disabled', 'data-loading', 'aria-invalid'],
  })
}
