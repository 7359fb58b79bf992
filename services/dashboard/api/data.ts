// Data of pages: queries with their states, and a store of the last replies, so that a page shows the last known data at once.
import { signal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import { query } from "./client.ts"
import { login } from "./login.ts"

export type Loaded<Reply> = {
  data: Reply | undefined
  error: Error | undefined
  loading: boolean
  reload: () => void
}

const replies = new Map<string, unknown>()

/** Counts changes that this page has made: queries read again after each. */
export const changes = signal(0)

/** Queries that were sent and not answered yet: parts of a page that need the same reply share one. */
const asked = new Map<string, Promise<unknown>>()

function ask<Reply>(key: string, path: string, body: object): Promise<Reply> {
  const same = asked.get(key)
  if (same !== undefined) return same as Promise<Reply>
  const reply = query<Reply>(path, body).finally(() => {
    if (asked.get(key) === reply) asked.delete(key)
  })
  asked.set(key, reply)
  return reply
}

export function dataHasChanged(): void {
  replies.clear()
  asked.clear()
  changes.value += 1
}

/** A query, read again when its arguments change. `path` undefined: nothing is asked. */
export function useQuery<Reply>(path: string | undefined, body: object = {}): Loaded<Reply> {
  const [turn, setTurn] = useState(0)
  const [state, setState] = useState<{ key: string; data?: Reply; error?: Error }>({ key: "" })
  const key = path === undefined ? "" : `${login.value?.organizationId} ${path} ${JSON.stringify(body)}`
  const version = changes.value
  useEffect(() => {
    if (path === undefined) return undefined
    let isCurrent = true
    const load = async () => {
      try {
        const data = await ask<Reply>(key, path, body)
        replies.set(key, data)
        if (isCurrent) setState({ key, data })
      } catch (error) {
        if (isCurrent) setState({ key, error: error instanceof Error ? error : new Error(String(error)) })
      }
    }
    void load()
    return () => {
      isCurrent = false
    }
  }, [key, turn, version])
  const isOwn = state.key === key && key !== ""
  const data = (isOwn ? state.data : undefined) ?? (replies.get(key) as Reply | undefined)
  const error = isOwn ? state.error : undefined
  return {
    data,
    error,
    loading: path !== undefined && data === undefined && error === undefined,
    reload: () => {
      setState({ key: "" })
      setTurn(turn + 1)
    },
  }
}
