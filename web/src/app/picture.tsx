import { useQuery } from '@tanstack/react-query'
import { fetchBlob } from '../api/client'
import { useSession } from '../api/session'

/** A small picture of a student, for as long as the app is open; letters of the name stand for one that there is not. */
export function Picture({ file, letters }: { file: string | null; letters: string }) {
  const client = useSession().user.role.toLowerCase()
  const picture = useQuery({
    queryKey: ['photo', file],
    queryFn: async () => URL.createObjectURL(await fetchBlob(`/${client}/file/${file}`, { thumbnail: 'true' })),
    enabled: file !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (picture.data) return <img className="picture" src={picture.data} alt="" width="44" height="44" />
  return (
    <span className="picture" aria-hidden>
      {letters}
    </span>
  )
}
