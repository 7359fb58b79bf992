import { check } from "../../dashboard/api/verify.ts"
import { sentenceOf } from "../../dashboard/words/activity.ts"
import { wordsOf } from "../../../signer/core/fingerprint-words.ts"
import { readBodyText } from "../../../signer/core/request/read-body.ts"
import type { Decoded } from "../../dashboard/words/decoded.ts"
import { decodeParameters } from "../../dashboard/words/payload.ts"
import type { Stamping } from "../changes/stamping.ts"
import { lapseOf, type ShownActivity } from "../changes/waiting.ts"
import { CliError, ExitCode } from "../exit.ts"
import { Directory } from "../names/resolve.ts"
import type { Kind } from "../names/kinds.ts"
import { KINDS } from "../names/kinds.ts"

export type NameOf = (id: string) => string | undefined

/** An activity in words, read from the stamped bytes. */
export type ReadActivity = {
  /** The names in it are what the API states for ids and addresses of the request. */
  sentence: string
  /** The parameters as the signer reads them, all of them: no sentence and no reader leaves any out. */
  parameters: object
  /** Paths of members that the signer ignores. */
  ignored: readonly string[]
  /** The signed payload in words; empty: the activity signs nothing. */
  decoded: readonly Decoded[]
  /** Its fingerprint, and the words of it. */
  fingerprint: string
  words: string
  /** Name of the user who submitted it, as the API states it: the stamp names a key. */
  submitter: string
  lapsesAt: string | undefined
}

/**
 * Reads the request from the bytes that its stamps cover, after checking that they do: the API tier shows both.
 *
 * @throws {CliError} verificationFailed: the activity shown is not the one that was stamped
 */
export function readActivity(activity: ShownActivity, nameOf: NameOf): ReadActivity {
  const { activity: entry, clean: parameters, ignored } = readBodyText(stampedBody(activity))
  const digest = activity.fingerprint.replace("sha256:", "")
  const submitterId = activity.votes[0]?.userId ?? ""
  return {
    sentence: sentenceOf(entry.type, parameters, nameOf),
    parameters,
    ignored,
    decoded: decodeParameters(parameters) ?? [],
    fingerprint: activity.fingerprint,
    words: wordsOf(digest),
    submitter: nameOf(submitterId) ?? submitterId,
    lapsesAt: lapseOf(activity),
  }
}

/** The request that the stamps of an activity cover. @throws {CliError} verificationFailed */
export function stampedBody(activity: object): string {
  const { verdict, findings, body } = check(activity as never, [], undefined)
  if (verdict !== "false" && body !== undefined) return body
  const fault = findings.find((finding) => finding.verdict === "failed")?.sentence ?? "it cannot be checked"
  const { id } = activity as { id: string }
  const sentence = `activity ${id} is not what its users stamped: ${fault}. Do not approve it`
  throw new CliError(ExitCode.verificationFailed, sentence)
}

/** Lines of an activity: who asks for what, the whole request, what is signed, and the fingerprint. */
export function linesOfActivity({
  sentence,
  parameters,
  ignored,
  decoded,
  fingerprint,
  words,
  submitter,
}: ReadActivity): string[] {
  return [
    `${submitter} asks: ${sentence}`,
    "  the request as the signer reads the stamped bytes; names above are the API's:",
    ...JSON.stringify(parameters, undefined, 2)
      .split("\n")
      .map((line) => `    ${line}`),
    ...ignored.map((path) => `  the signer ignores ${path}`),
    ...decoded.flatMap(linesOfDecoded),
    `  fingerprint ${fingerprint}`,
    `  words       ${words}`,
  ]
}

function linesOfDecoded({ title, facts, warning }: Decoded): string[] {
  const shown = facts.filter(([, value]) => value !== "")
  const width = Math.max(0, ...shown.map(([name]) => name.length))
  return [
    `  ${title}`,
    ...shown.map(([name, value]) => `    ${name.padEnd(width)}  ${value}`),
    ...(warning === undefined ? [] : [`  WARNING: ${warning}`]),
  ]
}

const NAMED: readonly Kind[] = ["user", "wallet", "policy", "private-key", "tag", "account"]

/** Names of the organization's resources by their ids and addresses. */
export async function namesOf({
  client,
  organizationId,
}: Pick<Stamping, "client" | "organizationId">): Promise<NameOf> {
  const directory = new Directory(client, organizationId)
  const lists = await Promise.all(
    NAMED.map(async (kind) => [KINDS[kind], await directory.list(kind)] as const),
  )
  const names = new Map<string, string>()
  for (const [{ id, names: members }, items] of lists) {
    const [first = ""] = members
    for (const item of items) if (typeof item[first] === "string") names.set(String(item[id]), item[first])
  }
  const wallets = new Map(
    (await directory.list("wallet")).map((wallet) => [wallet["walletId"], wallet["walletName"]]),
  )
  for (const { address, name, walletId } of await directory.list("account"))
    names.set(String(address), textOf(name) || textOf(wallets.get(walletId)))
  return (id) => names.get(id) || undefined
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}
