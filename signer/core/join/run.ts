import type { KeyObject } from "node:crypto"
import { wordsOfAuthority } from "./answer.ts"
import { type Ask, requireSameWords } from "./confirm.ts"
import { type FileSystem, JoinFiles } from "./files.ts"
import { beginJoin, readAcceptable, revocationState, settingsOf } from "./join.ts"
import type { JoinedServer } from "./names.ts"

/** `answer`: the line that came back; undefined: the command makes a request. `words`: those of the authority. */
export type JoinCommand = {
  name: string
  address: string
  directory: string
  isRenewal: boolean
  answer: string | undefined
  words: string | undefined
}

/** The process around a join. `newKey`: makes a key of P-256. `program`: the words that start this command. */
export type JoinHost = {
  fs: FileSystem
  newKey: () => KeyObject
  nowMs: number
  ask: Ask
  log: (line: string) => void
  program: string
}

/** Lines and JSON of the result. `servers`: those that the installed certificate is for; undefined: a request was made. */
export type JoinResult = { lines: string[]; json: object; servers: readonly JoinedServer[] | undefined }

/** Makes a request, or installs the answer to it. @throws {JoinFault} */
export async function runJoin(command: JoinCommand, host: JoinHost): Promise<JoinResult> {
  const files = new JoinFiles(host.fs, command.directory, command.name)
  return command.answer === undefined
    ? request(files, command, host)
    : accept(files, { ...command, answer: command.answer }, host)
}

function request(
  files: JoinFiles,
  command: JoinCommand,
  { nowMs, newKey, log, program }: JoinHost,
): JoinResult {
  const { name, isRenewal } = command
  const { line, words } = beginJoin(files, command, { privateKey: newKey(), isRenewal, nowMs })
  log(`Words of this request: ${words}`)
  log(`Within a day, on the signer's host: countersign-signer pair ${name} --join LINE`)
  log(`It shows the same words. Then here, with the line that it prints: ${program} --answer LINE`)
  return { lines: [line], json: { name, request: line, words }, servers: undefined }
}

async function accept(
  files: JoinFiles,
  { name, answer, words: given }: JoinCommand & { answer: string },
  { nowMs, ask }: JoinHost,
): Promise<JoinResult> {
  const acceptable = readAcceptable(files, name, answer, nowMs)
  const { certificate, authority, servers, address, isKnown } = acceptable
  const words = wordsOfAuthority(authority)
  const shownBy = "countersign-signer pair on the signer's host"
  // The authority in use was compared when it came here.
  if (!isKnown || given !== undefined) await requireSameWords({ shownBy, words, given }, ask)
  files.install(acceptable)
  const settings = settingsOf(files, { name, address }, servers)
  const expires = new Date(certificate.validTo).toISOString()
  const { line, revoked } = revocationState(files, authority)
  return {
    lines: [
      `certificate of ${name}, until ${expires}: ${files.paths.certificate}`,
      line,
      "Settings, in the environment of the process:",
      ...Object.entries(settings).map(([setting, value]) => `  ${setting}=${value}`),
    ],
    json: { name, expires, authorityWords: words, revoked, settings },
    servers,
  }
}
