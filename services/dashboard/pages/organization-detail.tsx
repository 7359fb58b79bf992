import type { WholeActivityJson } from "../../common/activity-json.ts"
import { useQuery } from "../api/data.ts"
import type { Wallet } from "../api/directory.ts"
import { credentialWords, type User } from "../api/people.ts"
import { Ago, Empty, Facts, Id, Page, Pending, Section } from "../ui/basics.tsx"
import { FromApi } from "../ui/provenance.tsx"
import { RequestLine } from "../ui/request-words.tsx"
import { Table } from "../ui/table.tsx"
import { StatusBadge } from "../ui/status-badge.tsx"
import { flagsOf } from "./wallets.tsx"
import { useSubOrganization } from "./organizations.tsx"

export function OrganizationDetail({ id }: { id: string }) {
  const state = useSubOrganization(id)
  const organization = state.data?.organizationData
  if (organization === undefined) return <Pending title="Sub-organization" state={state} />
  const { rootQuorum, users, wallets, policies, features } = organization
  return (
    <Page
      title={organization.name}
      about="Its own users alone can change it or use its keys; this organization can read it."
      action={<FromApi />}
    >
      <div class="card">
        <Facts
          facts={[
            ["Root quorum", `${rootQuorum.threshold} of ${rootQuorum.userIds.length}`],
            ["Policies", String(policies.length)],
            ["Features", features.map(({ name }) => name.replace("FEATURE_NAME_", "")).join(", ")],
            ["Id", <Id id={id} whole />],
          ]}
        />
      </div>
      <Section title="Users">
        <Table<User>
          label="Users"
          columns={[
            { title: "Name", cell: ({ userName }) => <b>{userName}</b> },
            {
              title: "Contact",
              cell: ({ userEmail, userPhoneNumber }) => (
                <span class="wrap">
                  {[userEmail, userPhoneNumber].filter(Boolean).join(", ") || <span class="quiet">none</span>}
                </span>
              ),
            },
            {
              title: "Credentials",
              wide: true,
              cell: (user) => <span class="quiet">{credentialWords(user)}</span>,
            },
            { title: "Created", wide: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
          ]}
          rows={users}
          state={state}
          keyOf={({ userId }) => userId}
          empty={<Empty sentence="It has no user." />}
        />
      </Section>
      <Section title="Wallets">
        <Table<Wallet>
          label="Wallets"
          columns={[
            { title: "Name", cell: ({ walletName }) => <b>{walletName}</b> },
            { title: "Secret", cell: flagsOf },
            { title: "Id", wide: true, cell: ({ walletId }) => <Id id={walletId} /> },
          ]}
          rows={wallets}
          state={state}
          keyOf={({ walletId }) => walletId}
          empty={<Empty sentence="It has no wallet." />}
        />
      </Section>
      <Recent id={id} />
    </Page>
  )
}

function Recent({ id }: { id: string }) {
  const state = useQuery<{ activities: WholeActivityJson[] }>("list_activities", {
    organizationId: id,
    paginationOptions: { limit: "10" },
  })
  return (
    <Section title="Last activities">
      <Table<WholeActivityJson>
        label="Last activities"
        columns={[
          {
            title: "What",
            cell: (activity) => (
              <b>
                <RequestLine activity={activity} organization={undefined} />
              </b>
            ),
          },
          {
            title: "Status",
            cell: (activity) => <StatusBadge activity={activity} />,
          },
          { title: "When", wide: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
        ]}
        rows={state.data?.activities}
        state={state}
        keyOf={({ id: activityId }) => activityId}
        empty={<Empty sentence="It has no activity of its own." />}
      />
    </Section>
  )
}
