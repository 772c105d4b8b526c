import { problemOf } from './client'
import { callOnCookie } from './session'

export async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await callOnCookie(path, body)
  const answer = (await response.json().catch(() => undefined)) as { data: T } | undefined
  if (!response.ok) throw problemOf(response, answer)
  return answer!.data
}
