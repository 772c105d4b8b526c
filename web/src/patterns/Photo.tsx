// A small picture of a person; the first letter of the name stands for one that there is not.
import { Avatar } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { fetchBlob } from '../api/client'
import { useMay } from '../api/session'

export function Photo({ file, name }: { file?: string | null; name: string }) {
  const may = useMay()
  const picture = useQuery({
    queryKey: ['photo', file],
    queryFn: async () => {
      const blob = await fetchBlob(`/school-admin/file/${file}`, { thumbnail: 'true' })
      return new Promise<string>((resolve, reject) => {
        const reader = new FileReader()
        reader.onload = () => resolve(reader.result as string)
        reader.onerror = () => reject(reader.error)
        reader.readAsDataURL(blob)
      })
    },
    enabled: !!file && may('file', 'read'),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return (
    <Avatar src={picture.data} size={28} radius={8} color="gray" alt="" aria-hidden>
      {name[0]}
    </Avatar>
  )
}
