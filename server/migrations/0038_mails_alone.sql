-- What was bundled were two moments of a version, which are two mails now; what still waits leaves as it is.
alter table mails drop column bundle;
