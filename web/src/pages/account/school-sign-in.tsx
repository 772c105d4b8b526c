// Signing in by the school's own accounts: a button for each of its identity providers.
import { Button, Divider, Stack, Text } from '@mantine/core'
import { IconBrandGoogle, IconBrandWindows, IconLogin2 } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, call, type Schemas } from '../../api/client'
import { post } from '../../api/post'
import { t } from '../../messages/console'
import { Trouble } from '../../patterns/feedback'

const icons = { GOOGLE: IconBrandGoogle, MICROSOFT: IconBrandWindows, OTHER: IconLogin2 }

/** The buttons of a school. Where it has none, or the link is of no school any more, nothing is shown. */
export function SchoolSignIn({ schoolId }: { schoolId: string }) {
  const q = useQuery({
    queryKey: ['/auth/sso', schoolId],
    queryFn: () => call(api.GET('/auth/sso/{schoolId}', { params: { path: { schoolId } } })),
    retry: false,
  })
  const start = useMutation({
    mutationFn: (providerId: string) =>
      post<Schemas['SsoAddress']>('/auth/console/sso/start', { schoolId, providerId }),
    onSuccess: ({ url }) => window.location.assign(url),
  })
  if (!q.data || q.data.providers.length === 0) return null
  return (
    <Stack gap={8} mt={16}>
      <Divider label={t('or')} />
      <Text size="sm" c="dimmed">
        {q.data.schoolName}
      </Text>
      {q.data.providers.map((p) => {
        const Icon = icons[p.kind]
        return (
          <Button
            key={p.id}
            variant="default"
            fullWidth
            leftSection={<Icon size={16} />}
            loading={(start.isPending || start.isSuccess) && start.variables === p.id}
            onClick={() => start.mutate(p.id)}
          >
            {t('Sign in with {name}', { name: p.name })}
          </Button>
        )
      })}
      <Trouble error={start.error} />
    </Stack>
  )
}
