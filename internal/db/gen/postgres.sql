-- Nobody edits the audit log; retention alone deletes from it, and says that it is that.
-- +goose StatementBegin
CREATE FUNCTION audit_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('goblinlab.retention', true) = 'on' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit log is not changed (%)', lower(TG_OP);
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_guard BEFORE UPDATE OR DELETE ON "audit" FOR EACH ROW EXECUTE FUNCTION audit_guard();
CREATE TRIGGER audit_guard_all BEFORE TRUNCATE ON "audit" FOR EACH STATEMENT EXECUTE FUNCTION audit_guard();
