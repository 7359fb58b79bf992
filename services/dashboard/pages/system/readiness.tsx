import type { Time } from "../../../common/activity-json.ts"
import { useEffect, useState } from "preact/hooks"
import { get, getReadiness, type ShownReadiness as Ready } from "../../api/client.ts"
import { useQuery } from "../../api/data.ts"
import { Ago, Badge, Facts, Fault, Section, Skeleton } from "../../ui/basics.tsx"

type Version = { name: string; version: string }

/** Parts of the API's readiness in the order in which they depend on each other. One that is new here has its own name. */
const PARTS: { readonly [part: string]: string } = {
  process: "API",
  database: "Database",
  signer: "Signer",
  recovery: "Recovery",
  fetcher: "Fetcher",
  core: "API",
  pins: "Pairing with the signer",
}

/** The meaning of a part that is ready. */
const MEANINGS: { readonly [part: string]: string } = {
  process: "The process answers.",
  database: "The API reads and writes its database.",
  signer: "The signer is unlocked and decides requests.",
  recovery: "The database has every outcome that the signer decided.",
  fetcher: "Facts from outside can be fetched: keys of issuers, mails, prices of fees.",
  core: "The API that the proxy calls answers.",
  pins: "The API calls the signer that it was paired with.",
}

/** Parts that most requests do without: a fault of theirs leaves the API ready. */
const OPTIONAL = new Set(["fetcher"])

const READ_AGAIN_MS = 3000

/** The release, and each part of the API with what is wrong with it. */
export function Readiness() {
  const version = useLoaded(() => get<Version>("/version"))
  const signer = useQuery<{ bootProof: { createdAt: Time } }>("get_latest_boot_proof", { appName: "signer" })
  const ready = useReadiness()
  const since = signer.data?.bootProof.createdAt
  return (
    <Section title="Processes" aside={<CheckAgain load={ready.load} />}>
      <div class="card stack">
        {version.data && (
          <Facts
            short
            facts={[
              ["Release", `${version.data.name} ${version.data.version}`],
              [
                "Signer’s process",
                since && (
                  <span>
                    started <Ago time={since} />
                  </span>
                ),
              ],
            ]}
          />
        )}
        <Ready label="Readiness" state={ready} />
      </div>
    </Section>
  )
}

/** The auth proxy, where the host of this page knows one. The browser asks it itself. */
export function AuthProxy({ url }: { url: string }) {
  const ready = useReadiness({ name: "auth proxy", url })
  return (
    <Section title="Auth proxy" aside={<CheckAgain load={ready.load} />}>
      <div class="card stack">
        <Ready label="Readiness of the auth proxy" state={ready} />
      </div>
    </Section>
  )
}

function CheckAgain({ load }: { load: () => void }) {
  return (
    <button type="button" class="button tight" onClick={load}>
      Check again
    </button>
  )
}

type ReadyState = { data?: Ready; error?: Error }

/** Read again while the page is open. */
function useReadiness(host?: { name: string; url: string }) {
  const ready = useLoaded(() => getReadiness(host))
  useEffect(() => {
    if ((ready.data ?? ready.error) === undefined) return undefined
    const timer = setTimeout(ready.load, READ_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [ready.data, ready.error])
  return ready
}

function Ready({ label, state: { data, error } }: { label: string; state: ReadyState }) {
  if (error) return <Fault error={error} />
  if (data === undefined) return <Skeleton />
  return <Parts label={label} ready={data} />
}

function Parts({ label, ready: { ready: isReady, ...parts } }: { label: string; ready: Ready }) {
  return (
    <div role="status" aria-label={label}>
      <Facts
        short
        facts={[
          ["Requests", <Served isReady={isReady} />],
          ...orderOf(parts).map(
            (part) => [PARTS[part] ?? part, <Part part={part} state={parts[part]} />] as const,
          ),
        ]}
      />
    </div>
  )
}

function Served({ isReady }: { isReady: boolean }) {
  if (isReady)
    return (
      <Badge tone="good" why="Everything that requests need is ready.">
        Served
      </Badge>
    )
  return (
    <Badge
      tone="bad"
      why="A part that requests need is not ready: the lines below name it. Requests are answered with 503."
    >
      Not served
    </Badge>
  )
}

const orderOf = (parts: object): string[] => {
  const known = Object.keys(PARTS).filter((part) => part in parts)
  return [...known, ...Object.keys(parts).filter((part) => !known.includes(part))]
}

function Part({ part, state }: { part: string; state: unknown }) {
  if (state === "ok")
    return (
      <Badge tone="good" why={MEANINGS[part] ?? "It answered when it was last asked."}>
        Ready
      </Badge>
    )
  const fault = typeof state === "string" ? state : JSON.stringify(state)
  return (
    <span class="line">
      {OPTIONAL.has(part) ? (
        <Badge tone="warn" why="Most requests do without it. Logins, mails and facts from outside wait.">
          Not ready
        </Badge>
      ) : (
        <Badge tone="bad" why="Until it is ready no request is served.">
          Not ready
        </Badge>
      )}
      <span class="wrap">{fault}</span>
    </span>
  )
}

/** A page of the API without a stamp: it is no query, so nothing of it is kept. */
function useLoaded<Reply>(read: () => Promise<Reply>) {
  const [state, setState] = useState<{ data?: Reply; error?: Error }>({})
  const load = () => {
    read().then(
      (data) => setState({ data }),
      (error: unknown) => setState({ error: error instanceof Error ? error : new Error(String(error)) }),
    )
  }
  useEffect(load, [])
  return { ...state, load }
}
