// The API as docs/openapi.json describes it. A change there that a page does not expect stops the build.
import createClient from 'openapi-fetch'
import { sendOnce } from './keys'
import { fetchOrRecall } from './offline'
import { askForProof } from './proof'
import type { components, paths } from './schema'
import { accessToken, renew } from './session'

export type Schemas = components['schemas']
export type Page<T> = { items: T[]; total: number; page: number; limit: number; totalPages: number }

/** How the console and the app put into the person's language what is said here. */
let say = (text: string, values: Record<string, string> = {}) =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!)
export const speakWith = (words: typeof say) => {
  say = words
}

/** Problem is a refusal in people's words, with the fields it is about. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fields: Record<string, string> = {},
    readonly requestId = '',
    readonly data?: unknown,
    /** Every complaint, in the order of the answer: a field may have several. */
    readonly details: [field: string, message: string][] = [],
  ) {
    super(message)
  }
}

/** Calls as whoever is signed in; a post happens once, however often it is sent again after a lost answer. */
const signedFetch = (request: Request) => sendOnce(request, provenFetch)

/** What needs a fresh proof is asked for it, and then called again. */
async function provenFetch(request: Request): Promise<Response> {
  const again = request.clone()
  const response = await renewedFetch(request)
  if (response.status !== 403) return response
  const body = (await response
    .clone()
    .json()
    .catch(() => undefined)) as ErrorBody | undefined
  if (body?.error !== 'REAUTHENTICATION_NEEDED' || !(await askForProof())) return response
  return renewedFetch(again)
}

async function renewedFetch(request: Request): Promise<Response> {
  const again = request.clone()
  const used = await accessToken()
  request.headers.set('Authorization', `Bearer ${used}`)
  const response = await fetchOrRecall(request)
  if (response.status !== 401) return response
  // Others may have renewed it while this call was under way: once is enough.
  if ((await accessToken()) === used && !(await renew())) return response
  again.headers.set('Authorization', `Bearer ${await accessToken()}`)
  return fetchOrRecall(again)
}

export const api = createClient<paths, 'application/json'>({ baseUrl: window.location.origin, fetch: signedFetch })

interface ErrorBody {
  message?: string
  error?: string
  details?: { field: string; message: string }[]
  data?: unknown
}

export function problemOf(response: Response, body: unknown): Problem {
  const e = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody
  const id = response.headers.get('X-Request-Id') ?? ''
  let message = e.message ?? say('Something went wrong on our side. Try again in a moment.')
  if (response.status === 429)
    message = say('Too many requests. Try again in {seconds} seconds.', {
      seconds: response.headers.get('Retry-After') ?? say('a few'),
    })
  if (response.status === 503 && !e.message)
    message = say('The service is not available right now. Nothing was lost; try again shortly.')
  const fields: Record<string, string> = {}
  for (const d of e.details ?? []) fields[d.field] ??= d.message
  return new Problem(
    response.status,
    e.error ?? '',
    message,
    fields,
    id,
    e.data,
    (e.details ?? []).map((d) => [d.field, d.message]),
  )
}

export function asProblem(e: unknown): Problem {
  if (e instanceof Problem) return e
  if (e instanceof TypeError)
    return new Problem(0, 'OFFLINE', say('No connection to Homeroom. Check the network; nothing was lost.'))
  return new Problem(0, '', e instanceof Error ? e.message : String(e))
}

/** Waits for an answer and unwraps it; a refusal is thrown as a Problem. */
export async function call<T>(
  p: Promise<{ data?: { data: T } | undefined; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await p
  if (!response.ok || error !== undefined) throw problemOf(response, error)
  return data?.data as T
}

/** For answers without a body. */
export async function done(p: Promise<{ error?: unknown; response: Response }>): Promise<void> {
  const { error, response } = await p
  if (!response.ok) throw problemOf(response, error)
}

/** Sends a CSV file in a form; the openapi client has no words for it. */
export async function upload<T>(path: string, query: Record<string, string>, file: Blob, name: string): Promise<T> {
  const form = new FormData()
  form.set('file', file, name)
  const response = await signedFetch(
    new Request(`${window.location.origin}${path}?${new URLSearchParams(query)}`, { method: 'POST', body: form }),
  )
  const body = (await response.json().catch(() => undefined)) as { data: T } | undefined
  if (!response.ok) throw problemOf(response, body)
  return body!.data
}

/** Fetches a file with the caller's rights. */
export async function fetchBlob(path: string, query: Record<string, string> = {}): Promise<Blob> {
  const response = await signedFetch(new Request(`${window.location.origin}${path}?${new URLSearchParams(query)}`))
  if (!response.ok) throw problemOf(response, await response.json().catch(() => undefined))
  return response.blob()
}

/** The same, handed to the browser to keep. */
export async function download(path: string, query: Record<string, string>, name: string): Promise<void> {
  save(await fetchBlob(path, query), name)
}

export function save(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob)
  const a = document.createElement('a')
  a.href = url
  a.download = name
  a.click()
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** A paper that the service made, in a tab of its own, to look at and to print. Where no tab may open it is kept. */
export async function openPaper(path: string, query: Record<string, string>, name: string): Promise<void> {
  const tab = window.open('', '_blank') // at once: browsers block what opens after an answer
  try {
    const blob = await fetchBlob(path, query)
    if (!tab) return save(blob, name)
    const url = URL.createObjectURL(blob)
    tab.location.href = url
    window.setTimeout(() => URL.revokeObjectURL(url), 600_000)
  } catch (e) {
    tab?.close()
    throw e
  }
}

/** Hears what the API tells as it happens (server-sent events), until it has nothing more to tell or the signal ends it. */
export async function listen<T>(path: string, tell: (event: T) => void, signal: AbortSignal): Promise<void> {
  const response = await signedFetch(
    new Request(`${window.location.origin}${path}`, { signal, headers: { Accept: 'text/event-stream' } }),
  )
  if (!response.ok) throw problemOf(response, await response.json().catch(() => undefined))
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = ''; ; ) {
    const { done: over, value } = await reader.read()
    if (over) return
    text += value
    const parts = text.split('\n\n')
    text = parts.pop()!
    for (const part of parts) {
      const data = part
        .split('\n')
        .filter((l) => l.startsWith('data:'))
        .map((l) => l.slice(5))
        .join('\n')
      if (data) tell(JSON.parse(data) as T)
    }
  }
}
