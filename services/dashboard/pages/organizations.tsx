import { useState } from "preact/hooks"
import { ApiFault } from "../api/client.ts"
import { useQuery } from "../api/data.ts"
import { requireLogin } from "../api/login.ts"
import type { ListedOrganization } from "../api/directory.ts"
import type { User } from "../api/people.ts"
import { Empty, Id, Page } from "../ui/basics.tsx"
import { FieldRow } from "../ui/fields.tsx"
import { useCursors } from "../ui/list.tsx"
import { FromApi } from "../ui/provenance.tsx"
import { route, setSearch } from "../ui/route.ts"
import { Pages, Table } from "../ui/table.tsx"
import { count } from "../words/time.ts"

const LIMIT = 10

/** Filters of list_suborgs. The first one lists all. */
const FILTERS: readonly (readonly [type: string, label: string])[] = [
  ["", "All"],
  ["NAME", "Name"],
  ["USERNAME", "Name of a user"],
  ["EMAIL", "E-mail address"],
  ["PHONE_NUMBER", "Phone number"],
  ["PUBLIC_KEY", "Public key"],
  ["CREDENTIAL_ID", "Id of a passkey"],
  ["OIDC_TOKEN", "ID token"],
  ["OIDC_CLAIMS", "Claims of an ID token"],
  ["WALLET_ACCOUNT_ADDRESS", "Address of a wallet"],
]

const HINTS: { readonly [type: string]: string } = {
  PUBLIC_KEY: "66 hexadecimal digits.",
  OIDC_CLAIMS: 'A JSON object: {"iss":"…","sub":"…","aud":"…"}.',
  PHONE_NUMBER: "As +41446681800.",
}

export function OrganizationsPage() {
  const { search } = route.value
  const [type, value] = [search.get("by") ?? "", search.get("value") ?? ""]
  const [draft, setDraft] = useState<Filter>({ type, value })
  const { cursors, options, turnTo, reset } = useCursors(LIMIT)
  const state = useQuery<{ organizationIds: string[] }>("list_suborgs", {
    ...(type !== "" && { filterType: type, filterValue: value }),
    paginationOptions: options,
  })
  const found = state.data?.organizationIds
  const shown = found?.slice(0, LIMIT)
  const summaries = useSummaries(shown)
  const fault =
    state.error instanceof ApiFault && state.error.field === "filterValue" ? state.error : undefined
  const apply = (to: Filter) => {
    setDraft(to)
    reset()
    setSearch({ by: to.type, value: to.type === "" ? "" : to.value.trim() })
  }
  return (
    <Page
      title="Sub-organizations"
      about="One for each end user, as a rule. Contacts that are found may be unverified."
      action={<FromApi />}
    >
      <Search
        draft={draft}
        setDraft={setDraft}
        apply={apply}
        isFiltered={type !== ""}
        fault={fault?.message}
      />
      {fault === undefined && (
        <Table
          label="Sub-organizations"
          columns={[
            { title: "Name", cell: (id: string) => <Name id={id} summaries={summaries} /> },
            { title: "Users", wide: true, cell: (id) => <Users id={id} summaries={summaries} /> },
            { title: "Id", cell: (id) => <Id id={id} /> },
          ]}
          rows={shown}
          state={state}
          keyOf={(id) => id}
          empty={
            <Empty
              sentence={type === "" ? "There is no sub-organization yet." : "No sub-organization fits."}
              command="countersign request list_suborgs"
            />
          }
          foot={
            <Pages
              page={cursors.length}
              hasNext={(found?.length ?? 0) > LIMIT}
              onPage={(to) => turnTo(to, shown?.at(-1))}
              shown={`Page ${cursors.length + 1}`}
              words={["Previous", "Next"]}
            />
          }
        />
      )}
    </Page>
  )
}

type Filter = { type: string; value: string }

type SearchProps = {
  draft: Filter
  setDraft: (to: Filter) => void
  apply: (to: Filter) => void
  isFiltered: boolean
  fault: string | undefined
}

function Search({ draft, setDraft, apply, isFiltered, fault }: SearchProps) {
  return (
    <form
      class="filters top"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        apply(draft)
      }}
    >
      <FieldRow
        field={{
          name: "by",
          label: "Search by",
          kind: "select",
          options: FILTERS.map(([one, label]) => ({ value: one, label })),
        }}
        value={draft.type}
        onChange={(to) => setDraft({ ...draft, type: String(to) })}
      />
      {draft.type !== "" && (
        <FieldRow
          field={{ name: "value", label: "Value", ...(HINTS[draft.type] && { hint: HINTS[draft.type] }) }}
          value={draft.value}
          fault={fault}
          onChange={(to) => setDraft({ ...draft, value: String(to) })}
        />
      )}
      <button type="submit" class="button">
        Search
      </button>
      {isFiltered && (
        <button type="button" class="button plain" onClick={() => apply({ type: "", value: "" })}>
          Show all
        </button>
      )}
    </form>
  )
}

export type SubOrganization = { organizationData: Omit<ListedOrganization, "accounts"> & { users: User[] } }

export const useSubOrganization = (id: string) =>
  useQuery<SubOrganization>("get_organization", { organizationId: id || requireLogin().organizationId })

type Summary = {
  organizationId: string
  organizationName: string
  userCount?: number
  userName?: string
  userEmail?: string
  userPhoneNumber?: string
}

/** Summaries of a page of ids by id; undefined while they are not known. */
function useSummaries(ids: readonly string[] | undefined): ReadonlyMap<string, Summary> | undefined {
  const isAsked = ids !== undefined && ids.length > 0
  const { data, error } = useQuery<{ suborgSummaries: Summary[] }>(
    isAsked ? "get_suborg_summaries" : undefined,
    { organizationIds: ids ?? [] },
  )
  if (error) return new Map()
  return data && new Map(data.suborgSummaries.map((one) => [one.organizationId, one]))
}

type Summaries = ReturnType<typeof useSummaries>

function Name({ id, summaries }: { id: string; summaries: Summaries }) {
  if (summaries === undefined) return <span class="skeleton cell" />
  return <a href={`/organizations/${id}`}>{summaries.get(id)?.organizationName ?? id}</a>
}

function Users({ id, summaries }: { id: string; summaries: Summaries }) {
  const { userCount = 0, userName, userEmail, userPhoneNumber } = summaries?.get(id) ?? {}
  if (userName === undefined) return null
  const contact = userEmail ?? userPhoneNumber ?? ""
  const more = userCount > 1 ? ` and ${count(userCount - 1, "other")}` : ""
  return (
    <span class="wrap">
      {userName}
      {contact !== "" && contact !== userName && <span class="quiet"> {contact}</span>}
      {more}
    </span>
  )
}
