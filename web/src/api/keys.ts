// Every post carries an Idempotency-Key. One whose answer was lost keeps its key, so that the same words sent again are the
// same post: the server does it once and gives its first answer again. Other words are another post. A later write to the same
// module forgets the key: what is disabled, enabled and disabled again are three acts.

interface Post {
  key: string
  underWay: number
}

const unanswered = new Map<string, Post>() // by address and body, while nobody knows whether they happened

const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-')

/** Sends a request, a post with its key. Uploads of files take none: their bytes are not compared. */
export async function sendOnce(request: Request, send: (r: Request) => Promise<Response>): Promise<Response> {
  if (request.method === 'GET') return send(request)
  const takesKey =
    request.method === 'POST' &&
    !request.headers.has('Idempotency-Key') &&
    !request.headers.get('Content-Type')?.startsWith('multipart/')
  const words = `${request.url}\n${takesKey ? await request.clone().text() : ''}`
  const module = request.url.split('/', 5).join('/') // scheme, host, client, module
  const lost = [...unanswered].filter(([w, p]) => w !== words && p.underWay === 0 && w.startsWith(`${module}/`))
  const post = (takesKey && unanswered.get(words)) || { key: newKey(), underWay: 0 }
  if (takesKey) {
    unanswered.set(words, post)
    request.headers.set('Idempotency-Key', post.key)
  }
  post.underWay++
  try {
    const response = await send(request)
    await response.clone().arrayBuffer() // an answer that breaks off is lost too
    if (response.status < 500) unanswered.delete(words)
    if (response.ok) for (const [w, p] of lost) if (p.underWay === 0) unanswered.delete(w)
    return response
  } finally {
    post.underWay--
  }
}
