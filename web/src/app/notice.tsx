import { useEffect } from 'react'
import { account } from '../api/account'
import { home } from '../api/home'
import { switchAccount, useSession } from '../api/session'
import { pageOf, tappedOf } from './notices'
import { areaOf } from './roles'
import { go, useAddress } from './route'
import { Skeleton } from './ui'

/** Opens the page that a tapped notice is about, as the account that it was for. */
export function OpenNotice() {
  const { query } = useAddress()
  const { user } = useSession()
  const address = query.toString()
  useEffect(() => {
    const tapped = tappedOf(new URLSearchParams(address))
    const open = async () => {
      if (tapped.account && tapped.account !== account.current()) {
        // Its page is another one's: the app starts anew as that account, at this address.
        const response = await switchAccount(tapped.account, `${home}notice?${address}`).catch(() => undefined)
        if (!response?.ok) go('/', { replace: true })
        return
      }
      const area = areaOf(user.role)
      // What has no page of its own is read in the list: a locked screen may have said a part of it only.
      go((area && pageOf(area, tapped)) ?? '/messages/notices', { replace: true })
    }
    void open()
  }, [address, user.role])
  return (
    <main className="waiting">
      <Skeleton />
    </main>
  )
}
