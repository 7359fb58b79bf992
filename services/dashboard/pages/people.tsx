import { useState } from "preact/hooks"
import { type ListedOrganization, useOrganization } from "../api/directory.ts"
import { credentialWords, type User, useUsers } from "../api/people.ts"
import { Ago, Badge, Empty, Fault, Page, Section, Skeleton } from "../ui/basics.tsx"
import { openChange } from "../ui/change.tsx"
import { manyOf, textOf } from "../ui/fields.tsx"
import { Choice, useCursors, useSettled } from "../ui/list.tsx"
import { FromApi } from "../ui/provenance.tsx"
import { type Column, Pages, Table } from "../ui/table.tsx"
import { Invitations } from "./invitations.tsx"
import { Quorum } from "./people/quorum.tsx"
import { Tags } from "./people/tags.tsx"

const LIMIT = 25

export function PeoplePage() {
  const state = useOrganization()
  const organization = state.data
  return (
    <Page
      title="People"
      about="Users, their credentials and tags, and who may change everything."
      action={
        <button type="button" class="button primary" onClick={() => createUser(organization)}>
          Create user
        </button>
      }
    >
      <Section title="Root quorum">
        {state.error ? (
          <Fault error={state.error} retry={state.reload} />
        ) : organization ? (
          <Quorum organization={organization} />
        ) : (
          <div class="card">
            <Skeleton />
          </div>
        )}
      </Section>
      <Users organization={organization} />
      <Invitations organization={organization} state={state} />
      <Tags organization={organization} state={state} />
    </Page>
  )
}

const userTagsOf = (organization: ListedOrganization | undefined) =>
  (organization?.tags ?? []).filter(({ tagType }) => tagType === "TAG_TYPE_USER")

/** Pages of users, which the API filters. */
function Users({ organization }: { organization: ListedOrganization | undefined }) {
  const [text, setText] = useState("")
  const [userTagId, setTag] = useState("")
  const { cursors, options, turnTo, reset } = useCursors(LIMIT)
  const state = useUsers({ search: useSettled(text), userTagId, paginationOptions: options })
  const users = state.data?.users
  const shown = users?.slice(0, LIMIT)
  return (
    <Section title="Users" aside={<FromApi />}>
      <div class="filters">
        <label class="field">
          <span class="small quiet">Search by name, address or id</span>
          <input
            type="text"
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value)
              reset()
            }}
          />
        </label>
        <Choice
          label="Tag"
          value={userTagId}
          options={userTagsOf(organization).map(({ tagId, tagName }) => [tagId, tagName])}
          onChange={(value) => {
            setTag(value)
            reset()
          }}
        />
      </div>
      <Table
        label="Users"
        stacks
        columns={columnsFor(organization)}
        rows={shown}
        state={state}
        keyOf={({ userId }) => userId}
        empty={<Empty sentence="No user fits." />}
        foot={
          <Pages
            page={cursors.length}
            hasNext={(users?.length ?? 0) > LIMIT}
            onPage={(to) => turnTo(to, shown?.at(-1)?.userId)}
            shown={`Page ${cursors.length + 1}`}
            words={["Previous", "Next"]}
          />
        }
      />
    </Section>
  )
}

function columnsFor(organization: ListedOrganization | undefined): readonly Column<User>[] {
  const tag = (id: string) => organization?.tags.find(({ tagId }) => tagId === id)?.tagName ?? id
  return [
    { title: "Name", cell: ({ userId, userName }) => <a href={`/people/${userId}`}>{userName}</a> },
    {
      title: "Credentials",
      cell: (user) => <span class="quiet">{credentialWords(user)}</span>,
    },
    {
      title: "Tags",
      wide: true,
      cell: ({ userTags }) => (
        <span class="chips">
          {userTags.map((id) => (
            <span key={id} class="badge">
              {tag(id)}
            </span>
          ))}
        </span>
      ),
    },
    {
      title: "Root",
      cell: ({ userId }) =>
        organization?.rootQuorum.userIds.includes(userId) && (
          <Badge
            tone="data"
            icon="shield"
            why="The user belongs to the root quorum: together with enough of its members they may do everything, past all policies."
          >
            Root quorum
          </Badge>
        ),
    },
    { title: "Created", wide: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  ]
}

function createUser(organization: ListedOrganization | undefined): void {
  openChange({
    title: "Create user",
    verb: "Create user",
    type: "ACTIVITY_TYPE_CREATE_USERS_V4",
    fields: [
      { name: "userName", label: "Name", path: "users[0].userName" },
      { name: "userEmail", label: "E-mail address (optional)", path: "users[0].userEmail" },
      {
        name: "publicKey",
        label: "Public key of their API key (optional)",
        code: true,
        path: "users[0].apiKeys",
        hint: "66 hexadecimal digits: countersign key generate NAME prints it on their machine.",
      },
      {
        name: "userTags",
        label: "Tags",
        kind: "many",
        path: "users[0].userTags",
        options: userTagsOf(organization).map(({ tagId, tagName }) => ({ value: tagId, label: tagName })),
      },
    ],
    parameters: (values) => {
      const [userName, userEmail, publicKey] = ["userName", "userEmail", "publicKey"].map((name) =>
        textOf(values, name),
      ) as [string, string, string]
      const apiKeys =
        publicKey === ""
          ? []
          : [{ apiKeyName: `${userName}'s key`, publicKey, curveType: "API_KEY_CURVE_P256" }]
      return {
        users: [
          {
            userName,
            ...(userEmail !== "" && { userEmail }),
            apiKeys,
            authenticators: [],
            oauthProviders: [],
            userTags: manyOf(values, "userTags"),
          },
        ],
      }
    },
  })
}
