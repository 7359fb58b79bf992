module judges/backup

go 1.26
