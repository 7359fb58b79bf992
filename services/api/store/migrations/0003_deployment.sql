-- The deployment whose state this database holds: at most one row, written when the API first meets a signer.
create table deployment (
  only_row boolean primary key default true check (only_row),
  id uuid not null,
  -- The signer's pins: public key sets, 260 hexadecimal digits.
  signer_public_key text not null,
  notarizer_public_key text not null
);
