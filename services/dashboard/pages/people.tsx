import { useState } from "preact/hooks"
import { type Organization, type User, useOrganization } from "../api/directory.ts"
import { count } from "../words/time.ts"
import { Ago, Badge, Empty, Fault, Notice, Page, Section, Skeleton } from "../ui/basics.tsx"
import { openChange } from "../ui/change.tsx"
import { manyOf, textOf } from "../ui/fields.tsx"
import { FromApi } from "../ui/provenance.tsx"
import { Invitations } from "./invitations.tsx"
import { type Column, Pages, Table } from "../ui/table.tsx"

const LIMIT = 25

export function PeoplePage() {
  const state = useOrganization()
  const organization = state.data
  const [text, setText] = useState("")
  const [page, setPage] = useState(0)
  const wanted = text.trim().toLowerCase()
  const fitting = organization?.users.filter(({ userName, userEmail = "", userId }) =>
    `${userName} ${userEmail} ${userId}`.toLowerCase().includes(wanted),
  )
  const tag = (id: string) => organization?.tags.find(({ tagId }) => tagId === id)?.tagName ?? id
  const columns: readonly Column<User>[] = [
    { title: "Name", cell: ({ userId, userName }) => <a href={`/people/${userId}`}>{userName}</a> },
    {
      title: "Credentials",
      cell: ({ authenticators, apiKeys, oauthProviders }) => (
        <span class="quiet">
          {[
            [authenticators.length, "passkey"],
            [apiKeys.length, "key"],
            [oauthProviders.length, "login"],
          ]
            .filter(([number]) => number !== 0)
            .map(([number, noun]) => count(Number(number), String(noun)))
            .join(", ") || "none"}
        </span>
      ),
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
          <Badge tone="data" icon="shield">
            Root quorum
          </Badge>
        ),
    },
    { title: "Created", wide: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  ]
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
      <Section title="Users" aside={<FromApi />}>
        <div class="filters">
          <label class="field">
            <span class="small quiet">Search by name, address or id</span>
            <input
              type="text"
              value={text}
              onInput={(event) => {
                setText(event.currentTarget.value)
                setPage(0)
              }}
            />
          </label>
        </div>
        <Table
          label="Users"
          columns={columns}
          rows={fitting?.slice(page * LIMIT, (page + 1) * LIMIT)}
          state={state}
          keyOf={({ userId }) => userId}
          empty={<Empty sentence="No user fits." />}
          foot={
            <Pages
              page={page}
              hasNext={(fitting?.length ?? 0) > (page + 1) * LIMIT}
              onPage={setPage}
              shown={count(fitting?.length ?? 0, "user")}
            />
          }
        />
      </Section>
      <Invitations organization={organization} state={state} />
      <Section
        title="Tags"
        aside={
          <button type="button" class="button tight" onClick={() => createTag(organization)}>
            Create tag
          </button>
        }
      >
        <Table
          label="Tags"
          columns={[
            { title: "Name", cell: ({ tagName }) => <b>{tagName}</b> },
            {
              title: "Users",
              cell: ({ tagId }) =>
                organization?.users
                  .filter(({ userTags }) => userTags.includes(tagId))
                  .map(({ userName }) => userName)
                  .join(", ") || <span class="quiet">nobody</span>,
            },
          ]}
          rows={organization?.tags.filter(({ tagType }) => tagType === "TAG_TYPE_USER")}
          state={state}
          keyOf={({ tagId }) => tagId}
          empty={
            <Empty sentence="There are no tags. Policies can ask for two approvers with a tag, whoever they are." />
          }
        />
      </Section>
    </Page>
  )
}

function Quorum({ organization }: { organization: Organization }) {
  const { threshold, userIds } = organization.rootQuorum
  const names = userIds.map((id) => organization.users.find(({ userId }) => userId === id)?.userName ?? id)
  const spare = userIds.length - threshold
  return (
    <div class="card stack">
      <div class="spread">
        <p>
          <span class="big">
            {threshold} of {userIds.length}
          </span>{" "}
          <span class="quiet">{names.join(", ")}</span>
        </p>
        <button type="button" class="button" onClick={() => changeQuorum(organization)}>
          Change the quorum
        </button>
      </div>
      {spare === 0 ? (
        <Notice tone="warn">
          <p>
            Nobody may be lost: without {threshold === 1 ? "this user" : "each of these users"} nobody can
            ever change users or policies past the policies again.
          </p>
        </Notice>
      ) : (
        <p class="quiet">{count(spare, "of them may")} be lost and the quorum still decides.</p>
      )}
    </div>
  )
}

function changeQuorum({ rootQuorum, users, name }: Organization): void {
  openChange({
    title: "Change the root quorum",
    verb: "Change the quorum",
    type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
    fields: [
      {
        name: "userIds",
        label: "Users who count",
        kind: "many",
        options: users.map(({ userId, userName }) => ({ value: userId, label: userName })),
        initial: rootQuorum.userIds,
      },
      {
        name: "threshold",
        label: "How many have to agree",
        kind: "number",
        initial: String(rootQuorum.threshold),
      },
    ],
    grave: {
      loses:
        "The root quorum may do everything, past every policy. A quorum that cannot be met is lost for ever: not even the operator restores it.",
      name,
    },
    parameters: (values) => ({
      userIds: manyOf(values, "userIds"),
      threshold: Number(textOf(values, "threshold")),
    }),
  })
}

function createUser(organization: Organization | undefined): void {
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
        options: (organization?.tags ?? [])
          .filter(({ tagType }) => tagType === "TAG_TYPE_USER")
          .map(({ tagId, tagName }) => ({ value: tagId, label: tagName })),
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

function createTag(organization: Organization | undefined): void {
  openChange({
    title: "Create tag",
    verb: "Create tag",
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    fields: [
      { name: "userTagName", label: "Name" },
      {
        name: "userIds",
        label: "Users",
        kind: "many",
        options: (organization?.users ?? []).map(({ userId, userName }) => ({
          value: userId,
          label: userName,
        })),
      },
    ],
    parameters: (values) => ({
      userTagName: textOf(values, "userTagName"),
      userIds: manyOf(values, "userIds"),
    }),
  })
}
