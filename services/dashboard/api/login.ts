// The login of this browser. It is kept in IndexedDB, which can hold keys that no script can read.
import { signal } from "@preact/signals"
import type { BrowserKey } from "./keys.ts"
import { rememberOrganization } from "./known-organizations.ts"

type Person = { organizationId: string; organizationName: string; userId: string; username: string }

/** A key of the browser that stamps everything until it expires. */
export type KeyLogin = Person & { by: "key"; key: BrowserKey; expiresAtMs: number }
/** A passkey that stamps every change; reads carry the text of a read-only session. */
export type PasskeyLogin = Person & {
  by: "passkey"
  credentialId: string
  readSession: string
  expiresAtMs: number
}
export type Login = KeyLogin | PasskeyLogin

/** The present login; null: nobody; undefined: not read yet. */
export const login = signal<Login | null | undefined>(undefined)

/** Why the last login ended, for the login page; undefined: nobody was logged in. `left`: the user logged out, and it worked. */
export const ended = signal<{ because: string; how: Ending } | undefined>(undefined)
type Ending = "left" | "ended"

const STORE = "login"
const CURRENT = "current"

export async function restoreLogin(): Promise<void> {
  const kept = await inStore<Login | undefined>("readonly", (store) => store.get(CURRENT)).catch(
    () => undefined,
  )
  login.value = kept !== undefined && kept.expiresAtMs > Date.now() ? kept : null
  if (kept !== undefined && login.value === null)
    ended.value = { because: "Your session has expired. Log in again.", how: "ended" }
}

export async function keepLogin(opened: Login): Promise<void> {
  await inStore("readwrite", (store) => store.put(opened, CURRENT))
  ended.value = undefined
  login.value = opened
  const { organizationId, organizationName, username } = opened
  const credential = opened.by === "passkey" ? { credentialId: opened.credentialId } : {}
  rememberOrganization({ organizationId, organizationName, username, ...credential })
}

export async function forgetLogin(because: string, how: Ending = "ended"): Promise<void> {
  await inStore("readwrite", (store) => store.delete(CURRENT)).catch(() => undefined)
  ended.value = { because, how }
  login.value = null
}

/** Pages are shown to who is logged in. @throws {Error} */
export function requireLogin(): Login {
  if (!login.value) throw new Error("nobody is logged in")
  return login.value
}

function inStore<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("countersign", 1)
    opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(STORE))
    opening.addEventListener("error", () => reject(new Error("this browser keeps no data for this page")))
    opening.addEventListener("success", () => {
      const request = act(opening.result.transaction(STORE, mode).objectStore(STORE))
      request.addEventListener("success", () => resolve(request.result as T))
      request.addEventListener("error", () => reject(new Error("this browser keeps no data for this page")))
    })
  })
}
