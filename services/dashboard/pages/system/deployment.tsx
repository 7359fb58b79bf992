import type { Time } from "../../../common/activity-json.ts"
import { daysInWords, urgencyOf } from "../../../common/certificate-days.ts"
import { ApiFault } from "../../api/client.ts"
import { useQuery } from "../../api/data.ts"
import { Ago, Badge, Facts, Fault, Notice, Section, Skeleton } from "../../ui/basics.tsx"
import { Table } from "../../ui/table.tsx"

type Certificate = { holder: string; subject: string; issuer: string; expiresAt: Time; daysLeft?: number }
type Link = { peer: string; transport: string; certificates?: Certificate[] }
type Queue = { name: string; caip2?: string; waitingCount?: number; deadCount?: number; oldestAt?: Time }
type State = { sealEpoch?: number; links?: Link[]; queues?: Queue[] }

const NAMES: { readonly [process: string]: string } = { API: "API", SIGNER: "Signer", FETCHER: "Fetcher" }

const useDeployment = () => useQuery<State>("get_deployment_state")

const isCustomer = (error: Error | undefined) => error instanceof ApiFault && error.status === 403

/** The signer's sealing key, and the API's connections with their certificates. For operators alone. */
export function Deployment() {
  const { data, error, reload } = useDeployment()
  return (
    <Section title="Deployment">
      {isCustomer(error) ? (
        <Notice>
          <p>
            A user of a top-level organization sees the seal epoch, the certificates and the queues of the
            worker.
          </p>
        </Notice>
      ) : error ? (
        <Fault error={error} retry={reload} />
      ) : (
        <div class="card">{data === undefined ? <Skeleton /> : <Facts facts={factsOf(data)} />}</div>
      )}
      <Certificates links={data?.links ?? []} />
    </Section>
  )
}

function Certificates({ links }: { links: readonly Link[] }) {
  const rows = links.flatMap(({ peer, certificates = [] }) =>
    certificates.map((one) => ({ ...one, to: one.holder === peer ? "API" : peer })),
  )
  if (rows.length === 0) return null
  return (
    <Table<Certificate & { to: string }>
      label="Certificates"
      stacks
      columns={[
        {
          title: "Certificate",
          cell: ({ holder, to, subject }) => (
            <span class="stack-0">
              <b>
                {NAMES[holder] ?? holder} to {NAMES[to] ?? to}
              </b>
              <span class="wrap mono small quiet">{subject}</span>
            </span>
          ),
        },
        { title: "Issuer", wide: true, cell: ({ issuer }) => <span class="wrap">{issuer}</span> },
        { title: "Expires", cell: ({ expiresAt }) => <Ago time={expiresAt} /> },
        { title: "Left", cell: ({ daysLeft = 0 }) => <Left days={daysLeft} /> },
      ]}
      rows={rows}
      state={STILL}
      keyOf={({ holder, to }) => `${holder} ${to}`}
      empty={null}
    />
  )
}

/** The worker's queues, over all organizations. For operators alone. */
export function WorkerQueues() {
  const { data, error } = useDeployment()
  if (error) return null
  return (
    <div class="card stack">
      <h3>Worker, for all organizations</h3>
      {data === undefined ? <Skeleton /> : <Facts short facts={(data.queues ?? []).map(queueFact)} />}
    </div>
  )
}

const STILL = { error: undefined, reload: () => undefined }

const MEANINGS = {
  none: "Nothing is to be done yet.",
  soon: "Renew it in the coming days. Once it has expired the two processes refuse each other.",
  now: "Renew it today. Once it has expired the two processes refuse each other.",
} as const

const TONES = { none: "good", soon: "warn", now: "bad" } as const

function Left({ days }: { days: number }) {
  const urgency = urgencyOf(days)
  return (
    <Badge
      tone={TONES[urgency]}
      why={MEANINGS[urgency]}
      {...(urgency !== "none" && { icon: "alert" as const })}
    >
      {daysInWords(days)}
    </Badge>
  )
}

const TRANSPORTS: { readonly [transport: string]: string } = {
  PLAIN_HTTP: "plain HTTP, no certificate: loopback, or a reverse proxy that has one",
  UNIX_SOCKET: "a socket of the API’s host, no certificate",
  MUTUAL_TLS: "mutual TLS",
}

const PEERS: { readonly [peer: string]: string } = {
  CALLERS: "Callers to API",
  SIGNER: "API to signer",
  FETCHER: "API to fetcher",
}

const factsOf = ({ sealEpoch, links = [] }: State) => [
  ["Seal epoch", epochOf(sealEpoch)] as const,
  ...links.map(({ peer, transport }) => [PEERS[peer] ?? peer, TRANSPORTS[transport] ?? transport] as const),
]

/** The first epoch is the one since the ceremony; a later one has followed a change of the sealing key. */
function epochOf(epoch: number | undefined): string {
  if (epoch === undefined) return "not known: the signer does not answer"
  return epoch === 1 ? "1, the first: the sealing key never changed" : String(epoch)
}

function queueFact({ name, caip2, waitingCount = 0, deadCount = 0, oldestAt }: Queue) {
  const title = name === "TRANSACTIONS" ? `Transactions of ${caip2 ?? ""}` : "Notifications of webhooks"
  return [
    title,
    <span key={title} class="line">
      {waitingCount === 0 ? "none waits" : `${waitingCount} waiting`}
      {oldestAt !== undefined && (
        <span class="quiet">
          the oldest from <Ago time={oldestAt} />
        </span>
      )}
      {deadCount > 0 && (
        <Badge
          tone="bad"
          icon="alert"
          why={
            name === "TRANSACTIONS"
              ? undefined
              : "They are not sent again by themselves. Each organization redelivers its own."
          }
        >
          {deadCount} dead
        </Badge>
      )}
    </span>,
  ] as const
}
