import { useEffect, useState } from "preact/hooks"
import { loadConfig, type PinsJson } from "../../api/config.ts"
import { choosePins, trust } from "../../api/trust.ts"
import { Facts, Id, Notice, Page, Section, Skeleton } from "../../ui/basics.tsx"
import { CheckMark, CHECKS, FromApi, MEANINGS } from "../../ui/provenance.tsx"
import { Deployment } from "./deployment.tsx"
import { Queues } from "./queues.tsx"
import { AuthProxy, Readiness } from "./readiness.tsx"

export function SystemPage() {
  const [authProxyUrl, setAuthProxyUrl] = useState<string | undefined>(undefined)
  useEffect(() => void loadConfig().then((config) => setAuthProxyUrl(config.authProxyUrl)), [])
  return (
    <Page title="System" about="The deployment, and what this browser trusts of it." action={<FromApi />}>
      <div class="grid">
        <Readiness />
        {authProxyUrl !== undefined && <AuthProxy url={authProxyUrl} />}
      </div>
      <Deployment />
      <Queues />
      <Section title="Pins">
        <Pins />
      </Section>
      <Section title={CHECKS}>
        <Marks />
      </Section>
    </Page>
  )
}

const VERDICTS = ["proven", "stamped", "false", "unchecked"] as const

/** Meanings of the marks of requests, and the parts that have none. */
function Marks() {
  return (
    <div class="card stack">
      {VERDICTS.map((verdict) => (
        <div key={verdict} class="stack-s">
          <span>
            <CheckMark check={{ verdict, findings: [], body: undefined, request: undefined }} />
          </span>
          <p>{MEANINGS[verdict]}</p>
        </div>
      ))}
      <p>
        Lists and settings are as the API states them: nothing signs them. Users, policies and other parts of
        the organization stand in its signed document, which Settings exports and checks.
      </p>
    </div>
  )
}

const SOURCES = {
  served: ["good", "The host of this page gave these pins, and the API states the same."],
  chosen: ["good", "You compared these pins in this browser, and the API states the same."],
  none: [
    "warn",
    "This browser trusts no pins yet, so it checks no proofs. Compare the digest with that of the operator.",
  ],
  differ: [
    "bad",
    "The API states other pins than this browser trusts. It may be another deployment, or somebody in between.",
  ],
  unstated: ["warn", "The API states no pins now. This browser goes on to check proofs with those below."],
} as const

function Pins() {
  const { state, pins, stated } = trust.value ?? {}
  const shown = pins ?? stated
  const digest = useDigest(shown)
  const other = useDigest(state === "differ" ? stated : undefined)
  if (state === undefined)
    return (
      <div class="card">
        <Skeleton />
      </div>
    )
  const isStated = stated !== undefined || state === "none"
  const [tone, sentence] = SOURCES[isStated ? state : "unstated"]
  return (
    <div class="card stack">
      <Notice tone={tone}>
        <p>{sentence}</p>
      </Notice>
      <Facts
        facts={[
          ["Digest", digest && <Id id={digest} whole />],
          ["Digest of the API", other && <Id id={other} whole />],
          ["Deployment", shown?.["deploymentId"] && <Id id={shown["deploymentId"]} whole />],
        ]}
      />
      <p class="quiet small">
        On the signer’s host: <code>countersign-signer pins</code>
      </p>
      {state === "none" && stated !== undefined && (
        <div>
          <button type="button" class="button primary" onClick={() => choosePins(stated)}>
            Trust these pins
          </button>
        </div>
      )}
    </div>
  )
}

function useDigest(pins: PinsJson | undefined): string | undefined {
  const [digest, setDigest] = useState<string | undefined>(undefined)
  useEffect(() => {
    const work = async () => {
      const { pinsDigest } = await import("../../api/verify.ts")
      setDigest(pins && pinsDigest(pins))
    }
    void work()
  }, [pins])
  return digest
}
