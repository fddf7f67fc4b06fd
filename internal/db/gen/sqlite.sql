-- Nobody edits the audit log; retention alone deletes from it, never what is younger than 23 hours.
-- +goose StatementBegin
CREATE TRIGGER `audit_guard_update` BEFORE UPDATE ON `audit` BEGIN
  SELECT RAISE(ABORT, 'the audit log is not changed (update)');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `audit_guard_delete` BEFORE DELETE ON `audit` WHEN OLD.`at` > datetime('now', '-23 hours') BEGIN
  SELECT RAISE(ABORT, 'the audit log is not changed (delete)');
END;
-- +goose StatementEnd
