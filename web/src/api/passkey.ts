// Passkeys, by the browser's own means: it turns the API's JSON into what it asks with, and its answer into JSON.
import type { Schemas } from './client'

type Options = { publicKey: Record<string, unknown> }

interface JSONCredential extends PublicKeyCredential {
  toJSON(): never
}

/** Whether this browser can make and use passkeys here: not at a bare address such as 127.0.0.1. */
export function passkeysWork(): boolean {
  return (
    'PublicKeyCredential' in window &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential &&
    !/^[\d.]+$|^\[/.test(window.location.hostname)
  )
}

export async function createPasskey(options: Options): Promise<Schemas['Attestation']> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options.publicKey as never)
  return said(() => navigator.credentials.create({ publicKey }))
}

export async function askPasskey(options: Options): Promise<NonNullable<Schemas['ReauthRequest']['passkey']>> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options.publicKey as never)
  return said(() => navigator.credentials.get({ publicKey }))
}

async function said<T>(ask: () => Promise<Credential | null>): Promise<T> {
  try {
    const answer = (await ask()) as JSONCredential | null
    if (answer) return answer.toJSON()
  } catch (e) {
    if (e instanceof DOMException && e.name === 'InvalidStateError')
      throw new Error('This device has a passkey of your account already.')
  }
  throw new Error('The browser gave no passkey. Try again, or use another way.')
}
