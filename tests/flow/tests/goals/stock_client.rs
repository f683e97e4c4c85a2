//! A client library that others wrote follows a goal.
