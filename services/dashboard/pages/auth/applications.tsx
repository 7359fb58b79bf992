import { useOrganization } from "../../api/directory.ts"
import { Empty } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { linesOf } from "../../ui/fields.tsx"
import { ListSection } from "../../ui/list-section.tsx"

const APPLICATIONS = "FEATURE_NAME_OIDC_APPLICATIONS"

/** Issuers and client ids whose ID tokens are accepted. */
export function Applications() {
  const { data } = useOrganization()
  const value = data?.features.find(({ name }) => name === APPLICATIONS)?.value
  const listed = Object.entries(readApplications(value))
  return (
    <ListSection
      title="Accepted applications"
      verb="Change"
      onAdd={() => changeApplications(listed)}
      columns={[
        { title: "Issuer", cell: ([issuer]: [string, string[]]) => <b class="wrap">{issuer}</b> },
        {
          title: "Client ids",
          cell: ([, ids]) => <span class="wrap mono">{ids.join(", ").replace(/^\*$/, "* (every one)")}</span>,
        },
      ]}
      rows={data && listed}
      state={{ error: undefined, reload: () => undefined }}
      keyOf={([issuer]) => issuer}
      empty={
        <Empty sentence="No list: tokens of every application of the operator’s issuers are accepted." />
      }
    />
  )
}

function readApplications(value: string | undefined): { [issuer: string]: string[] } {
  try {
    return JSON.parse(value ?? "{}") as { [issuer: string]: string[] }
  } catch {
    return {}
  }
}

function changeApplications(listed: readonly (readonly [issuer: string, ids: string[]])[]): void {
  openChange({
    title: "Change the accepted applications",
    verb: "Save",
    type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
    fields: [
      {
        name: "value",
        label: "Issuers and client ids",
        kind: "area",
        code: true,
        initial: listed.map(([issuer, ids]) => [issuer, ...ids].join(" ")).join("\n"),
        placeholder: "https://accounts.google.com 1234.apps.googleusercontent.com",
        hint: "One issuer a line, then its client ids, with spaces between. * as a client id: all of the issuer. No line: no token is accepted.",
      },
    ],
    parameters: (values) => {
      const entries = linesOf(values, "value").map((line) => {
        const [issuer = "", ...ids] = line.split(/\s+/)
        return [issuer, ids]
      })
      return { name: APPLICATIONS, value: JSON.stringify(Object.fromEntries(entries)) }
    },
  })
}
