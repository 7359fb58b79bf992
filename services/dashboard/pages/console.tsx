import { useEffect, useState } from "preact/hooks"
import { type OpenApi, type CallableOperation, operationsOf, readOpenApi } from "../api/operations.ts"
import { Fault, Page, Skeleton } from "../ui/basics.tsx"
import { FieldRow } from "../ui/fields.tsx"
import { route, setSearch } from "../ui/route.ts"
import { OperationForm } from "./console/operation.tsx"

const FIRST = "query/whoami"

const nameOf = ({ kind, path, type }: CallableOperation) =>
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

function labelOf({ path, type }: CallableOperation): string {
  const version = /_(V\d+)$/.exec(type)?.[1]
  return version === undefined ? path : `${path} (${version})`
}
