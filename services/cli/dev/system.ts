import { CliError, ExitCode } from "../exit.ts"
import type { Member } from "./member.ts"

/** All members that run: either all of them, or soon none. */
export type System = {
  /** Takes a member in. */
  add: (member: Member) => Promise<void>
  /** Rejects, naming it, when a member ends that nobody asked to. */
  readonly broken: Promise<never>
  /** Whoever needs another one goes before it. */
  stop: () => Promise<void>
}

const STOP_ORDER = ["auth-proxy", "api", "fetcher", "signer", "database"] as const
export type MemberName = (typeof STOP_ORDER)[number]

export function createSystem(
  talk: (line: string) => void,
  note: (pid: number, name: string) => Promise<void>,
): System {
  const members: Member[] = []
  const { promise: broken, reject } = Promise.withResolvers<never>()
  let stopping = false
  // Nobody may be waiting yet when it happens.
  broken.catch(() => undefined)

  async function mourn({ name, lastWords }: Member, how: string): Promise<void> {
    if (stopping) return
    stopping = true
    const words = await lastWords().catch(() => "")
    reject(
      new CliError(ExitCode.fault, `${name} ended by itself (${how}), so everything was stopped: ${name}`),
    )
    if (words !== "") talk(`last words of ${name}:\n${words}`)
  }

  return {
    broken,
    async add(member) {
      members.push(member)
      void member.ended.then((how) => mourn(member, how))
      await note(member.pid, member.name)
    },
    async stop() {
      stopping = true
      for (const name of STOP_ORDER) {
        for (const member of members) if (member.name === name) await member.stop()
      }
    },
  }
}
