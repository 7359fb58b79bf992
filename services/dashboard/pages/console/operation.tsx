import type { JsonMembers } from "../../../../proto/strict-json.ts"
import { useState } from "preact/hooks"
import { ApiFault, query } from "../../api/client.ts"
import { type OpenApi, type CallableOperation, templateOf } from "../../api/operations.ts"
import { commandFor } from "../../words/command.ts"
import { Badge, Fault, Notice, Section } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { FieldRow } from "../../ui/fields.tsx"
import { Members } from "./members.tsx"
import { type MemberFault, SchemaForm } from "./schema-form.tsx"

/** One operation: its form, the same as JSON, the reply and the command. */
export function OperationForm({ document, operation }: { document: OpenApi; operation: CallableOperation }) {
  const [text, setText] = useState(JSON.stringify(templateOf(document, operation), undefined, 2))
  const [reply, setReply] = useState<unknown>(undefined)
  const [error, setError] = useState<Error | undefined>(undefined)
  const [fault, setFault] = useState<MemberFault | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const read = readObject(text)
  const isQuery = operation.kind === "query"
  const ask = async (body: JsonMembers) => {
    setBusy(true)
    setError(undefined)
    setReply(undefined)
    try {
      setReply(await query(operation.path, body))
    } catch (caught) {
      setError(caught as Error)
      if (caught instanceof ApiFault) setFault({ path: caught.field, sentence: caught.message })
    } finally {
      setBusy(false)
    }
  }
  const send = async (members: JsonMembers) => {
    setFault(undefined)
    if (isQuery) return ask(members)
    const { faultOfParameters } = await import("../../ui/validate.ts")
    const found = faultOfParameters(operation.type, members)
    if (found) setFault({ path: found.path.replace(/^parameters\.?/, ""), sentence: found.sentence })
    else review(operation, members, setReply)
  }
  return (
    <>
      <RequestForm
        document={document}
        operation={operation}
        text={text}
        setText={setText}
        fault={fault}
        busy={busy}
        send={(members) => void send(members)}
      />
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

type RequestFormProps = {
  document: OpenApi
  operation: CallableOperation
  text: string
  setText: (text: string) => void
  fault: MemberFault | undefined
  busy: boolean
  send: (members: JsonMembers) => void
}

/** The request as a form and as JSON: one changes with the other. */
function RequestForm({ document, operation, text, setText, fault, busy, send }: RequestFormProps) {
  const read = readObject(text)
  const isQuery = operation.kind === "query"
  return (
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
          if ("members" in read) send(read.members)
        }}
      >
        <p class="quiet">
          <code class="wrap">
            POST /public/v1/{operation.kind}/{operation.path}
          </code>{" "}
          {operation.about}
        </p>
        {"members" in read ? (
          <SchemaForm
            document={document}
            operation={operation}
            members={read.members}
            fault={fault}
            onChange={(members) => setText(JSON.stringify(members, undefined, 2))}
          />
        ) : (
          <p class="quiet">The form comes back once the JSON below can be read.</p>
        )}
        <FieldRow
          field={{
            name: "parameters",
            label: isQuery ? "The same as JSON, beside organizationId" : "Parameters as JSON",
            kind: "area",
            code: true,
            rows: rowsOf(text),
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
  )
}

/** Height of the field: the number of lines of the text, from 2 to 20. */
const rowsOf = (text: string) => Math.min(Math.max(text.split("\n").length, 2), 20)

function readObject(text: string): { members: JsonMembers } | { fault: string } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { members: value as JsonMembers }
    return { fault: "This is no JSON object: begin with { and end with }." }
  } catch (error) {
    return { fault: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function review(
  { path, type }: CallableOperation,
  parameters: JsonMembers,
  onReply: (reply: unknown) => void,
): void {
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
