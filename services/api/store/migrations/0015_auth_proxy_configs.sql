-- Organizations by the id of their auth proxy's configuration. Login pages know that id alone. It never changes.
create table auth_proxy_configs (
  organization_id uuid primary key,
  config_id uuid not null
);
create unique index auth_proxy_configs_by_id on auth_proxy_configs (config_id);
