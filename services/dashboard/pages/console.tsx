import { useEffect, useState } from "preact/hooks"
import { type Json, query } from "../api/client.ts"
import {
  membersOf,
  type OpenApi,
  type Operation,
  operationsOf,
  readOpenApi,
  templateOf,
} from "../api/operations.ts"
import { commandFor } from "../words/command.ts"
import { Badge, Fault, Notice, Page, Section, Skeleton } from "../ui/basics.tsx"
import { openChange } from "../ui/change.tsx"
import { FieldRow } from "../ui/fields.tsx"
import { route, setSearch } from "../ui/route.ts"
import { Table } from "../ui/table.tsx"

const FIRST = "query/whoami"

const nameOf = ({ kind, path, type }: Operation) =>
  type === "" ? `${kind}/${path}` : `${kind}/${path} ${type}`

/** The API reference, with every operation ready to be stamped and sent. */
export function ConsolePage() {
  const [document, setDocument] = useState<OpenApi | undefined>(undefined)
  const [error, setError] = useState<Error | undefined>(undefined)
  const load = () => {
    setError(undefined)
    readOpenApi().then(setDocument, (caught: unknown) => setError(caught as Error))
  }
  useEffect(load, [])
  return (
    <Page
      title="Console"
      about="Every operation of the API. A request is stamped in this browser, like any other change."
    >
      {error ? (
        <Fault error={error} retry={load} />
      ) : document === undefined ? (
        <div class="card">
          <Skeleton lines={6} />
        </div>
      ) : (
        <Operations document={document} />
      )}
    </Page>
  )
}

function Operations({ document }: { document: OpenApi }) {
  const operations = operationsOf(document)
  const [filter, setFilter] = useState("")
  const name = route.value.search.get("operation") ?? FIRST
  const chosen =
    operations.find((one) => nameOf(one) === name) ?? operations.find(({ path }) => path === "whoami")
  const wanted = filter.trim().toLowerCase().replaceAll(" ", "_")
  const fitting = operations.filter((one) => one === chosen || nameOf(one).toLowerCase().includes(wanted))
  return (
    <>
      <div class="card grid">
        <FieldRow
          field={{ name: "filter", label: "Search operations", placeholder: "wallet" }}
          value={filter}
          onChange={(value) => setFilter(String(value))}
        />
        <FieldRow
          field={{
            name: "operation",
            label: `Operation (${fitting.length})`,
            kind: "select",
            options: fitting.map((one) => ({ value: nameOf(one), label: labelOf(one) })),
          }}
          value={chosen ? nameOf(chosen) : ""}
          onChange={(value) => setSearch({ operation: String(value) })}
        />
      </div>
      {chosen && <OperationForm key={nameOf(chosen)} document={document} operation={chosen} />}
    </>
  )
}

function labelOf({ path, type }: Operation): string {
  const version = /_(V\d+)$/.exec(type)?.[1]
  return version === undefined ? path : `${path} (${version})`
}

function OperationForm({ document, operation }: { document: OpenApi; operation: Operation }) {
  const [text, setText] = useState(JSON.stringify(templateOf(document, operation), undefined, 2))
  const [reply, setReply] = useState<unknown>(undefined)
  const [error, setError] = useState<Error | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const read = readObject(text)
  const isQuery = operation.kind === "query"
  const ask = async (body: Json) => {
    setBusy(true)
    setError(undefined)
    setReply(undefined)
    try {
      setReply(await query(operation.path, body))
    } catch (caught) {
      setError(caught as Error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Section
        title={operation.path}
        aside={
          isQuery ? <Badge>Query: it only reads</Badge> : <Badge>Activity: it is stamped and decided</Badge>
        }
      >
        <form
          class="card stack"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if ("fault" in read) return
            if (isQuery) void ask(read.members)
            else review(operation, read.members, setReply)
          }}
        >
          <p class="quiet">
            <code class="wrap">
              POST /public/v1/{operation.kind}/{operation.path}
            </code>{" "}
            {operation.about}
          </p>
          <FieldRow
            field={{
              name: "parameters",
              label: isQuery ? "Members beside organizationId" : "Parameters",
              kind: "area",
              code: true,
              rows: 10,
            }}
            value={text}
            fault={"fault" in read ? read.fault : undefined}
            onChange={(value) => setText(String(value))}
          />
          <div class="line">
            <button type="submit" class="button primary" disabled={busy || "fault" in read}>
              {isQuery ? (busy ? "Asking…" : "Send") : "Review"}
            </button>
          </div>
        </form>
      </Section>
      {error && <Fault error={error} />}
      {reply !== undefined && (
        <Section title="Reply">
          <pre tabIndex={0} aria-label="Reply">
            {JSON.stringify(reply, undefined, 2)}
          </pre>
        </Section>
      )}
      {"members" in read && (
        <Section title="The same call as a command">
          <pre tabIndex={0} aria-label="Command">
            {commandFor(operation, read.members)}
          </pre>
        </Section>
      )}
      <Members document={document} operation={operation} />
    </>
  )
}

function readObject(text: string): { members: Json } | { fault: string } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { members: value as Json }
    return { fault: "This is no JSON object: begin with { and end with }." }
  } catch (error) {
    return { fault: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function review({ path, type }: Operation, parameters: Json, onReply: (reply: unknown) => void): void {
  openChange({
    title: path,
    verb: "Stamp and send",
    type,
    intro: (
      <>
        <Notice>
          <p>The next step shows the whole request. Nothing is sent before you stamp it.</p>
        </Notice>
        <pre tabIndex={0} aria-label="Parameters">
          {JSON.stringify(parameters, undefined, 2)}
        </pre>
      </>
    ),
    parameters: () => parameters,
    onDone: (activity) => onReply({ activity }),
  })
}

function Members({ document, operation }: { document: OpenApi; operation: Operation }) {
  const members = membersOf(document, operation)
  return (
    <Section title="Members">
      <Table
        label="Members"
        columns={[
          { title: "Name", cell: ({ name }: (typeof members)[number]) => <b class="mono wrap">{name}</b> },
          { title: "Type", cell: ({ type }) => <span class="wrap">{type}</span> },
          {
            title: "Needed",
            cell: ({ isRequired }) =>
              isRequired ? <Badge icon="check">Required</Badge> : <span class="quiet small">optional</span>,
          },
          ...(members.some(({ about }) => about !== "")
            ? [{ title: "About", wide: true, cell: ({ about }: (typeof members)[number]) => about }]
            : []),
        ]}
        rows={members}
        state={{ error: undefined, reload: () => undefined }}
        keyOf={({ name }) => name}
        empty={<p class="empty">It has no members.</p>}
      />
    </Section>
  )
}
