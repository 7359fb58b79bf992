// Requests in words, as the signer reads their stamped bytes.
import type { JsonMembers } from "../../../proto/strict-json.ts"
import { signal } from "@preact/signals"
import { useEffect, useMemo, useState } from "preact/hooks"
import type { ReadBody } from "../../../signer/core/request/read-body.ts"
import type { Content, DescriptionLine, Words } from "../../../signer/core/words/words.ts"
import type { SignedInterface } from "../../../signer/core/words/interfaces.ts"
import type { WholeActivityJson } from "../../common/activity-json.ts"
import { useQuery } from "../api/data.ts"
import { nameOf, type ListedOrganization } from "../api/directory.ts"
import { trust } from "../api/trust.ts"
import { titleOf } from "../../../signer/core/words/labels.ts"
import { Facts, Notice } from "./basics.tsx"

type Tools = typeof import("../api/request-words.ts")
const tools = signal<Tools | undefined>(undefined)

/** The readers, once they are loaded. */
function useTools(): Tools | undefined {
  useEffect(() => {
    if (tools.value === undefined) void import("../api/request-words.ts").then((read) => (tools.value = read))
  }, [])
  return tools.value
}

/** The words of a request; undefined: the readers are being loaded, or there is no request. */
export function useWords(
  request: ReadBody | undefined,
  organization: ListedOrganization | undefined,
): Words | undefined {
  const read = useTools()
  const interfaces = useInterfaces(read, request)
  if (read === undefined || request === undefined) return undefined
  return read.wordsOfRequest(request, { nameOf: (id) => nameOf(organization, id), ...interfaces })
}

type InterfacesReply = { smartContractInterfaces?: readonly JsonMembers[] }

/** Interfaces of the organization's contracts: with pins those of its signed document. None while they are being read. */
function useInterfaces(read: Tools | undefined, request: ReadBody | undefined) {
  const pins = trust.value?.pins
  const organizationId = request?.organizationId ?? ""
  const isNeeded = request !== undefined && read?.hasCalls(request) === true
  const listed = useQuery<InterfacesReply>(isNeeded ? "list_smart_contract_interfaces" : undefined, {
    organizationId,
  })
  const listedOnes = listed.data?.smartContractInterfaces ?? []
  const isSignedNeeded = listedOnes.length > 0 && pins !== undefined
  const document = useQuery<{ notarizedDocumentB64: string }>(
    isSignedNeeded ? "get_organization_document" : undefined,
    { organizationId },
  )
  const notarized = document.data?.notarizedDocumentB64
  const [signed, setSigned] = useState<readonly SignedInterface[] | undefined>(undefined)
  useEffect(() => {
    if (notarized === undefined || pins === undefined) return
    void import("../api/signed-interfaces.ts").then(({ readSignedInterfaces }) =>
      setSigned(readSignedInterfaces(notarized, pins, organizationId)),
    )
  }, [notarized, pins, organizationId])
  return useMemo(() => {
    if (read === undefined || listedOnes.length === 0 || (pins !== undefined && signed === undefined))
      return {}
    return read.interfacesForWords(read.statedInterfaces(listedOnes), pins === undefined ? undefined : signed)
  }, [read, listed.data, pins, signed])
}

/** An activity in one line of a list. */
export function RequestLine({
  activity,
  organization,
}: {
  activity: WholeActivityJson
  organization: ListedOrganization | undefined
}) {
  const read = useTools()
  const request = useMemo(() => read?.requestOf(activity), [read, activity])
  const words = useWords(request, organization)
  if (words !== undefined) return <WithDigits text={words.line} isShort />
  const title = titleOf(activity.type)
  return <>{read === undefined ? title : `${title}: the API shows another request than the stamped one`}</>
}

/** Characters of a sentence that is shown in large letters. */
const MAX_LARGE = 160

/** The sentence that describes a request. */
export function RequestSentence({ words }: { words: Words | undefined }) {
  if (words === undefined) return <p class="skeleton sentence" style={{ width: "20rem" }} />
  return (
    <p class={words.sentence.length > MAX_LARGE ? "sentence long" : "sentence"}>
      <WithDigits text={words.sentence} />
    </p>
  )
}

/** Addresses, hashes and keys in hexadecimal digits, UUIDs, and the digest at the end of a line that leaves anything out. */
const DIGITS =
  /(\b(?:0x[0-9a-f]{16,}|[0-9a-f]{40,})\b|(?<=… ?)[0-9a-f]{12}$|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b)/i

/**
 * A text whose addresses, hashes and ids look apart from the words between them, which say what happens. `isShort`: in a list those
 * are shortened in the middle that follow a name in brackets, and keys and hashes; the page of the request has them whole. An
 * address without a name stays whole: its digits are all that tells it from another.
 */
export function WithDigits({ text, isShort = false }: { text: string; isShort?: boolean }) {
  const parts = text.split(DIGITS)
  return (
    <>
      {parts.map((part, index) => {
        if (index % 2 === 0) return part
        const isNamed = parts[index - 1]?.endsWith("] ") === true
        const shown = isShort && (isNamed || !part.toLowerCase().startsWith("0x")) ? shortDigits(part) : part
        return (
          <span class="mono digits" title={part}>
            {shown}
          </span>
        )
      })}
    </>
  )
}

/** Digits that stay at each end. */
const [BEGINNING, END] = [8, 6]

const shortDigits = (digits: string) =>
  digits.length <= BEGINNING + END ? digits : `${digits.slice(0, BEGINNING)}…${digits.slice(-END)}`

/** Names the members of a request that have no effect. */
export function IgnoredMembers({ words }: { words: Words | undefined }) {
  if (words === undefined || words.ignored.length === 0) return null
  return (
    <Notice tone="warn">
      <p>The signer ignores: {words.ignored.join(", ")}. These members of the request have no effect.</p>
    </Notice>
  )
}

/** The contents that a request signs or sends, each with its warnings. */
export function RequestContents({ words }: { words: Words | undefined }) {
  return (
    <>
      {words?.contents.map((content, index) => (
        <ContentCard key={index} content={content} />
      ))}
    </>
  )
}

function ContentCard({ content: { title, facts, warnings } }: { content: Content }) {
  return (
    <div class="card stack">
      <h3>{title}</h3>
      {warnings.length > 0 && (
        <Notice tone="bad">
          {warnings.map((warning) => (
            <p key={warning} class="strong">
              {warning}
            </p>
          ))}
        </Notice>
      )}
      <RequestFacts facts={facts} />
      <p class="quiet small">Read from the stamped bytes in this browser, as the signer reads them.</p>
    </div>
  )
}

/** Every member of a request that the signer uses. */
export function RequestMembers({ words, isOpen = false }: { words: Words | undefined; isOpen?: boolean }) {
  if (words === undefined) return null
  return (
    <details open={isOpen}>
      <summary>All members of the request</summary>
      <div class="stack-s" aria-label="All members of the request" role="group">
        <RequestFacts facts={words.members} />
        <p class="quiet small">
          Names in [brackets] are as the API states them; the ids beside them are stamped.
        </p>
      </div>
    </details>
  )
}

function RequestFacts({ facts }: { facts: readonly DescriptionLine[] }) {
  return <Facts facts={facts.map(({ name, value, text }) => [name, <Value value={value} text={text} />])} />
}

function Value({ value, text }: { value: string; text: readonly string[] | undefined }) {
  if (text !== undefined)
    return (
      <pre class="quoted" tabIndex={0}>
        {text.join("\n")}
      </pre>
    )
  if (/^[0-9a-zA-Z]{20,}$/.test(value)) return <span class="mono wrap">{value}</span>
  return (
    <span class="wrap">
      <WithDigits text={value} />
    </span>
  )
}
