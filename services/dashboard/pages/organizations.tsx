import { useState } from "preact/hooks"
import { ApiFault } from "../api/client.ts"
import { useQuery } from "../api/data.ts"
import { requireLogin } from "../api/login.ts"
import type { Organization } from "../api/directory.ts"
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
  const [draft, setDraft] = useState({ type, value })
  const { cursors, options, turnTo, reset } = useCursors(LIMIT)
  const state = useQuery<{ organizationIds: string[] }>("list_suborgs", {
    ...(type !== "" && { filterType: type, filterValue: value }),
    paginationOptions: options,
  })
  const found = state.data?.organizationIds
  const shown = found?.slice(0, LIMIT)
  const fault =
    state.error instanceof ApiFault && state.error.field === "filterValue" ? state.error : undefined
  const apply = (to: typeof draft) => {
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
            fault={fault?.message}
            onChange={(to) => setDraft({ ...draft, value: String(to) })}
          />
        )}
        <button type="submit" class="button">
          Search
        </button>
        {type !== "" && (
          <button type="button" class="button plain" onClick={() => apply({ type: "", value: "" })}>
            Show all
          </button>
        )}
      </form>
      {fault === undefined && (
        <Table
          label="Sub-organizations"
          columns={[
            { title: "Name", cell: (id: string) => <Name id={id} /> },
            { title: "Users", wide: true, cell: (id) => <Users id={id} /> },
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

export type SubOrganization = { organizationData: Omit<Organization, "accounts"> & { users: User[] } }

/** One query for each row that is shown: list_suborgs returns ids alone. */
export const useSubOrganization = (id: string) =>
  useQuery<SubOrganization>("get_organization", { organizationId: id || requireLogin().organizationId })

function Name({ id }: { id: string }) {
  const { data, error } = useSubOrganization(id)
  if (error) return <a href={`/organizations/${id}`}>{id}</a>
  if (data === undefined) return <span class="skeleton cell" />
  return <a href={`/organizations/${id}`}>{data.organizationData.name}</a>
}

function Users({ id }: { id: string }) {
  const { data } = useSubOrganization(id)
  const users = data?.organizationData.users ?? []
  const [first] = users
  if (first === undefined) return null
  const contact = first.userEmail ?? first.userPhoneNumber ?? ""
  const more = users.length > 1 ? ` and ${count(users.length - 1, "other")}` : ""
  return (
    <span class="wrap">
      {first.userName}
      {contact !== "" && contact !== first.userName && <span class="quiet"> {contact}</span>}
      {more}
    </span>
  )
}
